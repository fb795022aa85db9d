import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { fileOf } from '#e2e/read-table.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { type DealField, dealFields } from '../deals/deal.ts'
import { renderDeal } from '../deals/render.ts'
import { readStored } from '../deals/row-store.ts'
import { csvSource } from '../readers/csv-rows.ts'
import type { TextFile } from '../readers/decode.ts'
import { jsonSource } from '../readers/json-source.ts'
import { StageMatcher } from '../stages/spelling.ts'
import { parseJson, stringifyJson } from '../values/int64.ts'
import { type ImportCounts, type ImportOptions, importDeals } from './import-deals.ts'
import type { RecordSource } from './record-source.ts'

let database: TestDatabase
let partner: { id: number; slug: string }
let lastId = 0n

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  partner = await makePartner()
})

const makePartner = async () => (await insertPartner(database.db, `p${crypto.randomUUID()}`, 'A partner'))!
const makeIds = (count: number) => Array.from({ length: count }, () => ++lastId)

interface Report {
  counts: ImportCounts
  rejected: string[]
  unreadable: string[]
  unknown: string[]
  superseded: string[]
  progress: number[]
}

/** Imports a file with this content and returns the report. */
async function importText(
  content: string,
  options: Partial<ImportOptions> = {},
  format: (file: TextFile) => RecordSource = jsonSource,
): Promise<Report> {
  const report: Omit<Report, 'counts'> = {
    rejected: [],
    unreadable: [],
    unknown: [],
    superseded: [],
    progress: [],
  }
  const counts = await importDeals(
    database.db,
    format(fileOf(content)),
    {
      partners: [partner],
      dryRun: false,
      events: true,
      now: () => new Date('2026-03-01T17:20:05Z'),
      ...options,
    },
    {
      rejected: (line, { field, reason }) => report.rejected.push(`${line} ${field} ${reason}`),
      unreadable: (line, faults) =>
        report.unreadable.push(...faults.map(({ field, reason }) => `${line} ${field} ${reason}`)),
      unknown: (field, line) => report.unknown.push(`${field} ${line}`),
      superseded: (line, id, last) => report.superseded.push(`${line} ${id} ${last}`),
      progress: ({ created, updated, unchanged, rejected }) =>
        report.progress.push(created + updated + unchanged + rejected),
    },
  )
  return { counts, ...report }
}

const lines = (...records: object[]) => records.map((record) => `${stringifyJson(record)}\n`).join('')
const none = { created: 0, updated: 0, unchanged: 0, rejected: 0, unreadable: 0 }
const jsonOf = async (id: bigint) => (await readStored(database.db.$client, [id])).get(id)?.json
const dealOf = async (id: bigint) => parseJson((await jsonOf(id))!) as Record<string, unknown>
const ownerOf = async (id: bigint) => (await readStored(database.db.$client, [id])).get(id)?.partnerId

/** Returns the type and id of each of the partner's events. */
async function eventsOf(partnerId: number): Promise<string[]> {
  const rows = await database.db.$client<{ event: string }[]>`
    select type || ' ' || deal_id as event from events where partner_id = ${partnerId} order by sequence`
  return rows.map(({ event }) => event)
}

const placesOf = async (listId: number) =>
  (
    await database.db.$client<{ id: string }[]>`
  select deal_id as id from deal_places where list_id = ${listId} order by position`
  ).map(({ id }) => BigInt(id))

describe('an import', () => {
  test('creates, updates and skips deals, and counts each outcome', async () => {
    const [a, b, c] = makeIds(3) as [bigint, bigint, bigint]
    expect(
      (await importText(lines({ id: a, stage: 'x' }, { id: b, stage: 'x' }), { partner })).counts,
    ).toEqual({ ...none, created: 2 })
    expect(
      await importText(lines({ id: c }, { id: a, stage: 'y' }, { id: b, stage: 'x' }), { partner }),
    ).toMatchObject({ counts: { created: 1, updated: 1, unchanged: 1, rejected: 0 }, rejected: [] })
    expect(await placesOf(partner.id)).toEqual([a, b, c])
    expect(await eventsOf(partner.id)).toEqual([
      `deal.created ${a}`,
      `deal.created ${b}`,
      `deal.created ${c}`,
      `deal.updated ${a}`,
    ])
  })

  test('of REST output changes nothing, neither the deals nor their partner', async () => {
    const ids = makeIds(300)
    await importText(
      lines(
        ...ids.map((id) => ({
          id,
          notes: `ä "${id}"`,
          amount: 1e21,
          owner: { id, userId: 2n ** 62n },
          hasHoa: true,
        })),
      ),
      { partner },
    )
    const saved = await Promise.all(ids.map(jsonOf))
    expect((await importText(`${saved.join('\n')}\n`)).counts).toEqual({ ...none, unchanged: 300 })
    expect((await importText(`${saved.join('\r\n')}`, { partner })).counts).toEqual({
      ...none,
      unchanged: 300,
    })
    expect(
      (
        await importText(
          saved.map((json) => json!.replace(/\}$/, `,"partner":"${partner.slug}"}`)).join('\n'),
        )
      ).counts,
    ).toEqual({ ...none, unchanged: 300 })
    expect(await eventsOf(partner.id)).toHaveLength(300)
  })

  test('keeps the order of the file across batches', async () => {
    const ids = makeIds(620).toSorted((a, b) => Number(((a * 7919n) % 1009n) - ((b * 7919n) % 1009n)))
    const { counts, progress } = await importText(lines(...ids.map((id) => ({ id }))), { partner })
    expect(counts).toEqual({ ...none, created: 620 })
    expect(await placesOf(partner.id)).toEqual(ids)
    expect(progress).toEqual([250, 500, 620])
  })

  test('keeps absent fields, clears null ones, and reads null as false for flags', async () => {
    const [id] = makeIds(1) as [bigint]
    await importText(
      lines({
        id,
        stage: 'a',
        notes: 'b',
        hasHoa: true,
        hasBattery: true,
        owner: { id: 5, email: 'm@example.com' },
      }),
      { partner },
    )
    await importText(lines({ id, stage: null, hasHoa: null, owner: { id: 6 } }))
    expect(await dealOf(id)).toMatchObject({
      stage: null,
      notes: 'b',
      hasHoa: false,
      hasBattery: true,
      owner: { id: 6, email: null },
    })
  })

  test('of an empty file changes nothing', async () => {
    expect(await importText('', { partner })).toEqual({
      counts: none,
      rejected: [],
      unreadable: [],
      unknown: [],
      superseded: [],
      progress: [0],
    })
  })

  test('without events records none', async () => {
    const [id] = makeIds(1) as [bigint]
    expect((await importText(lines({ id }), { partner, events: false })).counts).toEqual({
      ...none,
      created: 1,
    })
    expect((await importText(lines({ id, stage: 'x' }), { partner, events: false })).counts).toEqual({
      ...none,
      updated: 1,
    })
    expect(await eventsOf(partner.id)).toEqual([])
  })

  test('reports the changes of a dry run without writing anything', async () => {
    const [a, b, c] = makeIds(3) as [bigint, bigint, bigint]
    await importText(lines({ id: a, stage: 'x' }, { id: b }), { partner })
    const report = await importText(
      `${lines({ id: a, stage: 'y' }, { id: b }, { id: c, color: 'red' }, { id: c, stage: 'z' }, { id: ++lastId })}nonsense\n`,
      { partner, dryRun: true },
    )
    expect(report.counts).toEqual({ created: 2, updated: 1, unchanged: 1, rejected: 1, unreadable: 0 })
    expect(report).toMatchObject({ rejected: ['6 null is not JSON'], superseded: [`3 ${c} 4`] })
    expect(await dealOf(a)).toMatchObject({ stage: 'x' })
    expect(await jsonOf(c)).toBeUndefined()
    expect(await placesOf(partner.id)).toEqual([a, b])
    expect(await eventsOf(partner.id)).toHaveLength(2)
  })
})

describe('a repeated id', () => {
  test('counts once: the last record wins, with one event, at its own position', async () => {
    const [a, b] = makeIds(2) as [bigint, bigint]
    const report = await importText(
      lines(
        { id: a, stage: '1', notes: 'only here' },
        { id: a, stage: '2' },
        { id: b },
        { id: a, stage: '3' },
      ),
      { partner },
    )
    expect(report).toMatchObject({
      counts: { ...none, created: 2 },
      rejected: [],
      superseded: [`1 ${a} 4`, `2 ${a} 4`],
    })
    expect(await dealOf(a)).toMatchObject({ stage: '3', notes: null })
    expect(await eventsOf(partner.id)).toEqual([`deal.created ${b}`, `deal.created ${a}`])
  })

  test('is detected even thousands of lines later', async () => {
    const ids = makeIds(2600)
    const again = ids.filter((_id, index) => index % 2 === 0)
    const report = await importText(
      lines(...ids.map((id) => ({ id, stage: 'first' })), ...again.map((id) => ({ id, stage: 'last' }))),
      { partner },
    )
    expect(report.counts).toEqual({ ...none, created: 2600 })
    expect(report.superseded).toEqual(again.map((id, index) => `${index * 2 + 1} ${id} ${2601 + index}`))
    expect((await placesOf(partner.id)).length).toBe(2600)
    expect(await dealOf(again.at(-1)!)).toMatchObject({ stage: 'last' })
    expect(await eventsOf(partner.id)).toHaveLength(2600)
  })

  test('is recognized in any notation and position', async () => {
    const [id] = makeIds(1) as [bigint]
    const report = await importText(
      `{"id":${id},"stage":"1"}\n{"stage":"2","id":${id}.0}\n { "\\u0069d" : ${id}, "stage":"3"}\n`,
      { partner },
    )
    expect(report).toMatchObject({ counts: { ...none, created: 1 }, superseded: [`1 ${id} 3`, `2 ${id} 3`] })
    expect(await dealOf(id)).toMatchObject({ stage: '3' })
    const zeros = await importText('{"id":0,"stage":"1"}\n{"id":-0,"stage":"2"}\n', { partner })
    expect(zeros).toMatchObject({ counts: { ...none, created: 1 }, superseded: ['1 0 2'] })
  })

  test('within one line rejects only that line', async () => {
    const [a, b, c] = makeIds(3) as [bigint, bigint, bigint]
    const report = await importText(`{"id":${a},"id":${b}}\n{"id":${b},"stage":"x"}\n{"id":${c}}\n`, {
      partner,
    })
    expect(report).toMatchObject({
      counts: { ...none, created: 2, rejected: 1 },
      rejected: ['1 id is named twice; keep one'],
    })
    expect(await dealOf(b)).toMatchObject({ stage: 'x' })
    expect(await jsonOf(a)).toBeUndefined()
  })
})

describe('an invalid record', () => {
  test('is rejected with line, field and reason; a partly unreadable record loses only the unreadable values', async () => {
    const ids = makeIds(6) as [bigint, bigint, bigint, bigint, bigint, bigint]
    const tooLarge = 'is too large; use a whole number up to 9223372036854775807'
    const notStored = 'has a character that cannot be stored; remove it'
    const report = await importText(
      [
        `{"id":${ids[0]}}`,
        'nonsense',
        '',
        `{"id":${++lastId},"amount":"5","hasHoa":1,"stage":true}`,
        '[]',
        '{"id":9223372036854775808}',
        '{"stage":"x","id":99999999999999999999}',
        `{"id":${++lastId},"notes":"${'x'.repeat(300_000)}"}`,
        `{"id":${ids[1]}}`,
        `{"id":${ids[2]},"notes":"a\\u0000"}`,
        `{"id":${ids[3]},"notes":"\\ud800","city":"Mesa"}`,
        '{"id":9007199254740993,"amount":1e400}',
        `{"id":9007199254740993,"amount":1${'0'.repeat(400)},"partner":7}`,
        `{"id":${ids[4]},"owner":{}}`,
        `{"id":${ids[5]}}`,
      ].join('\n'),
      { partner },
    )
    expect(report.counts).toEqual({ ...none, created: 6, rejected: 7, unreadable: 2 })
    expect(report.rejected).toEqual([
      '2 null is not JSON',
      '4 stage “true” is not text; put it in quotes',
      '5 null is not a JSON object',
      `6 id “9223372036854775808” ${tooLarge}`,
      `7 id “99999999999999999999” ${tooLarge}`,
      '8 null is longer than 262144 bytes',
      `13 amount “1${'0'.repeat(38)}…” is not a number; use one such as 30800.50`,
      '13 partner “7” is not the slug of a partner; the list of partners has the slugs',
    ])
    expect(report.unreadable).toEqual([`11 notes ${notStored}`, '14 owner.id is empty'])
    expect(await dealOf(ids[3])).toMatchObject({ notes: null, city: 'Mesa' })
    expect(report.superseded).toEqual(['12 9007199254740993 13'])
    expect(await placesOf(partner.id)).toEqual(ids)
  })

  test('may occur thousands of times', async () => {
    const [a, b] = makeIds(2) as [bigint, bigint]
    const report = await importText(`${lines({ id: a })}${'{"id":0.5}\n'.repeat(1200)}${lines({ id: b })}`, {
      partner,
    })
    expect(report.counts).toEqual({ ...none, created: 2, rejected: 1200 })
    expect(report.rejected.map((text) => Number(text.split(' ')[0]))).toEqual(
      Array.from({ length: 1200 }, (_, index) => index + 2),
    )
  })
})

describe('a hostile import file', () => {
  // Uses the largest accepted record, for which superlinear work would take minutes.
  test('with only combining marks is imported like any other file', async () => {
    const ids = makeIds(40)
    const report = await importText(
      lines(
        ...ids.map((id) => ({
          id,
          dealname: 'a\u0301\u0323'.repeat(40_000),
          city: '\u0323\u0301'.repeat(10_000),
        })),
      ),
      { partner },
    )
    expect(report.counts).toEqual({ ...none, created: 40 })
  })

  test('with large records is written in small batches, so that others wait only for one batch', async () => {
    const report = await importText(lines(...makeIds(60).map((id) => ({ id, notes: 'x'.repeat(200_000) }))), {
      partner,
    })
    expect(report.counts).toEqual({ ...none, created: 60 })
    expect(report.progress.length).toBeGreaterThanOrEqual(6)
  })

  test('lists at most twenty errors of a record', async () => {
    const times = Object.keys(dealFields).filter((name) => dealFields[name as DealField].kind === 'time')
    const report = await importText(
      `id,${times.join()}\nx${',y'.repeat(times.length)}\n`,
      { partner },
      csvSource,
    )
    expect(report.counts).toEqual({ ...none, rejected: 1 })
    expect(report.rejected).toHaveLength(20)
    expect(report.rejected.at(-1)).toBe(`2 null has ${times.length - 18} more problems`)
  })
})

describe('the partner of a deal in an import', () => {
  test('comes from each record if there is no --partner', async () => {
    const other = await makePartner()
    const [a, b, c] = makeIds(3) as [bigint, bigint, bigint]
    const partners = [partner, other]
    await importText(
      lines({ id: a, partner: partner.slug }, { id: b, partner: other.slug }, { id: c, partner: null }),
      { partners },
    )
    expect(await Promise.all([a, b, c].map(ownerOf))).toEqual([partner.id, other.id, null])
    const report = await importText(
      lines({ id: a, partner: other.slug }, { id: b, partner: null }, { id: c, stage: 'x' }),
      { partners },
    )
    expect(report.counts).toEqual({ ...none, updated: 3 })
    expect(await Promise.all([a, b, c].map(ownerOf))).toEqual([other.id, null, null])
    expect(await eventsOf(other.id)).toEqual([`deal.created ${b}`, `deal.created ${a}`, `deal.removed ${b}`])
  })

  test('must be known: a new deal with a missing or unknown partner is rejected', async () => {
    const [a, b, c] = makeIds(3) as [bigint, bigint, bigint]
    const report = await importText(
      lines({ id: a }, { id: b, partner: 'nobody' }, { id: c, partner: 7 }, { id: ++lastId, partner: '' }),
    )
    expect(report.counts).toEqual({ ...none, rejected: 4 })
    expect(report.rejected.toSorted()).toEqual([
      '1 partner is required for a new deal: name it in the record or for the whole import',
      '2 partner “nobody” is not the slug of a partner; the list of partners has the slugs',
      '3 partner “7” is not the slug of a partner; the list of partners has the slugs',
      '4 partner is required for a new deal: name it in the record or for the whole import',
    ])
  })

  test('comes from --partner, which no record may contradict', async () => {
    const other = await makePartner()
    const ids = makeIds(4) as [bigint, bigint, bigint, bigint]
    const report = await importText(
      lines(
        { id: ids[0] },
        { id: ids[1], partner: partner.slug },
        { id: ids[2], partner: other.slug },
        { id: ids[3], partner: null },
      ),
      { partner },
    )
    expect(report.counts).toEqual({ ...none, created: 2, rejected: 2 })
    expect(report.rejected).toEqual(
      ['3 partner “' + other.slug, '4 partner “null'].map(
        (start) => `${start}” is not ${partner.slug}, the partner that the whole import is for`,
      ),
    )
    await importText(lines({ id: ids[0] }), { partner: other, moves: 'all' })
    expect(await ownerOf(ids[0])).toBe(other.id)
    // The record equals the stored deal byte for byte, but is imported for another partner.
    const same = renderDeal({ id: ids[1] })
    expect((await importText(same, { partner: other, moves: 'all' })).counts).toEqual({ ...none, updated: 1 })
    expect(await ownerOf(ids[1])).toBe(other.id)
  })

  test('does not change unless the import or record moves the deal', async () => {
    const other = await makePartner()
    const partners = [partner, other]
    const [a, b, c, d] = makeIds(4) as [bigint, bigint, bigint, bigint]
    await importText(lines({ id: a, stage: 'x' }, { id: b }), { partner: other })
    await importText(lines({ id: c, partner: null }), { partners })
    const file = lines({ id: a, stage: 'y' }, { id: b }, { id: c }, { id: d })
    const reason = `id belongs to a deal of another partner, ${other.slug}`
    for (const dryRun of [true, false]) {
      const report = await importText(file, { partner, partners, dryRun })
      expect(report.counts).toEqual({ ...none, created: 1, updated: 1, rejected: 2 })
      expect(report.rejected).toEqual([`1 ${reason}`, `2 ${reason}`])
    }
    expect(await Promise.all([a, b, c, d].map(ownerOf))).toEqual([other.id, other.id, partner.id, partner.id])
    expect(await dealOf(a)).toMatchObject({ stage: 'x' })
    expect(await eventsOf(other.id)).toEqual([`deal.created ${a}`, `deal.created ${b}`])
    // Only listed deals may leave this partner.
    const some = await importText(lines({ id: a }, { id: b }), {
      partner,
      partners,
      moves: async (ids) => new Map(ids.map((id) => [id, id === a ? other.id : partner.id])),
    })
    expect([some.counts, some.rejected]).toEqual([{ ...none, updated: 1, rejected: 1 }, [`2 ${reason}`]])
    await importText(lines({ id: b, partner: partner.slug }), { partner, partners })
    expect(await Promise.all([a, b].map(ownerOf))).toEqual([partner.id, partner.id])
  })

  test('is checked while the deal is locked: a deal that moved in the meantime stays', async () => {
    const [other, third] = [await makePartner(), await makePartner()]
    const [a, b, c] = makeIds(3) as [bigint, bigint, bigint]
    await importText(lines({ id: a }, { id: b }), { partner: other })
    await importText(lines({ id: c }), { partner })
    const now = new Date('2026-03-01T17:20:05Z')
    const report = await importText(lines({ id: a }, { id: b }, { id: c, stage: 'y' }), {
      partner,
      partners: [partner, other, third],
      // Moves the deal between reading the stored deals and writing the batch.
      async moves() {
        const writes = [a, c].map((id) => ({ record: { id }, partnerId: third.id }))
        await writeDeals(database.db, writes, { now, events: true })
        return new Map([a, b].map((id) => [id, other.id]))
      },
    })
    expect(report.counts).toEqual({ ...none, updated: 1, rejected: 2 })
    expect(report.rejected).toEqual(
      [1, 3].map((line) => `${line} id belongs to a deal of another partner, ${third.slug}`),
    )
    expect(await Promise.all([a, b, c].map(ownerOf))).toEqual([third.id, partner.id, third.id])
  })
})

describe('an empty value in an import', () => {
  const full = (id: bigint) => ({
    id,
    stage: 'x',
    amount: 5,
    hasHoa: true,
    owner: { id: 7, email: 'm@example.com', teams: 'West' },
    projectManager: { id: 8, firstName: 'Ana' },
  })
  const titles = 'id,stage,amount,hasHoa,owner.id,owner.email,projectManager.id,notes\n'

  test('in a table keeps the stored value, clears it on request, and is empty in a new deal', async () => {
    const [a, b] = makeIds(2) as [bigint, bigint]
    await importText(lines(full(a)), { partner })
    const row = `${titles}${a},,,,7,,,Gate\n${b},,,,7,,,\n`
    await importText(row, { partner }, csvSource)
    expect(await dealOf(a)).toMatchObject({ ...full(a), id: Number(a), notes: 'Gate' })
    expect(await dealOf(b)).toMatchObject({
      stage: null,
      amount: null,
      hasHoa: false,
      owner: { email: null },
    })
    expect((await importText(row, { partner }, csvSource)).counts).toEqual({ ...none, unchanged: 2 })
    // A different person keeps no data of the previous one.
    await importText(`${titles}${a},,,,9,,,\n`, { partner }, csvSource)
    expect(await dealOf(a)).toMatchObject({ owner: { id: 9, email: null, teams: null }, notes: 'Gate' })
    await importText(row, { partner, clearsEmpty: true }, csvSource)
    expect(await dealOf(a)).toMatchObject({
      stage: null,
      amount: null,
      hasHoa: false,
      owner: { id: 7, email: null },
      projectManager: null,
    })
  })

  test('in JSON clears the field if null, unless the import keeps empty values', async () => {
    const [a] = makeIds(1) as [bigint]
    await importText(lines(full(a)), { partner })
    const file = lines({ id: a, stage: null, hasHoa: null })
    await importText(file, { partner, clearsEmpty: false })
    expect(await dealOf(a)).toMatchObject({ stage: 'x', hasHoa: true })
    await importText(file, { partner })
    expect(await dealOf(a)).toMatchObject({ stage: null, hasHoa: false, amount: 5 })
  })
})

test('imports a new stage that extends an existing name, and rejects a stage with a typo', async () => {
  const stages = new StageMatcher(['Permitting'])
  const report = await importText(
    lines({ id: ++lastId, stage: 'Permit' }, { id: ++lastId, stage: 'Permiting' }),
    { partner, stages },
  )
  expect(report.counts).toEqual({ ...none, created: 1, rejected: 1 })
  expect(report.rejected).toEqual(['2 stage “Permiting” is new and like “Permitting”: say which is meant'])
})

describe('an unknown field in an import', () => {
  test('is reported once, with its first line, and ignored', async () => {
    const [a, b] = makeIds(2) as [bigint, bigint]
    const report = await importText(lines({ id: a, color: 'red' }, { id: b, color: 'blue', Stage: 'x' }), {
      partner,
    })
    expect(report).toMatchObject({ counts: { ...none, created: 2 }, unknown: ['color 1', 'Stage 2'] })
  })

  test('is reported at most two hundred times', async () => {
    const keys = Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`c${index}`, 'x']))
    const { counts, unknown } = await importText(lines({ id: ++lastId, ...keys }), { partner })
    expect([counts.created, unknown.length]).toEqual([1, 200])
  })

  test('does not count as a column of a table, whose rows may be short', async () => {
    const [a, b, c] = makeIds(3) as [bigint, bigint, bigint]
    const csv = `id,stage,color,owner.id,hasHoa,__proto__\r\n${a},"x, y",red,5,TRUE,1\r\n${b},,,,,\r\n${c},x\r\n`
    const report = await importText(csv, { partner }, csvSource)
    expect(report).toMatchObject({ counts: { ...none, created: 3 }, unknown: [], rejected: [] })
    expect(await dealOf(a)).toMatchObject({ stage: 'x, y', owner: { id: 5 }, hasHoa: true })
  })
})

test('an import leaves its connection unchanged, however it ends', async () => {
  await expect(importText('a,b\n1,2\n', { partner }, csvSource)).rejects.toThrow('No column is read as')
  await expect(
    importText(lines({ id: ++lastId }), { partner: { id: 2_000_000_000, slug: 'gone' } }),
  ).rejects.toThrow()
  await importText(lines({ id: ++lastId }), { partner })
  const [left] = await database.db.$client<
    { tables: number }[]
  >`select count(*)::integer as tables from pg_class where relname = 'record_ids'`
  expect(left!.tables).toBe(0)
  const limits = await Promise.all(
    Array.from(
      { length: 16 },
      () => database.db.$client<{ statement_timeout: string }[]>`show statement_timeout`,
    ),
  )
  expect(new Set(limits.map(([row]) => row!.statement_timeout))).toEqual(new Set(['10s']))
})

test('two concurrent imports of one file create each deal once', async () => {
  const text = lines(...makeIds(800).map((id) => ({ id, stage: 'x' })))
  const reports = await Promise.all([importText(text, { partner }), importText(text, { partner })])
  expect(reports[0].counts.created + reports[1].counts.created).toBe(800)
  expect(reports[0].counts.unchanged + reports[1].counts.unchanged).toBe(800)
  expect(await placesOf(partner.id)).toHaveLength(800)
  expect(await eventsOf(partner.id)).toHaveLength(800)
})

describe('a record that is too long', () => {
  // Each of these characters becomes six characters when normalized, so 240 KB of words exceed 1 MB.
  const kilometers = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => `㌖㌖㌖㌖㌖㌖${(from + index).toString(36)}`).join(' ')
  const reason = 'null has more text than fits; shorten its names, address, utility or phone number'

  test('is rejected alone, and reported first by a check', async () => {
    const [before, big, after] = makeIds(3) as [bigint, bigint, bigint]
    const content = lines(
      { id: before, partner: partner.slug },
      { id: big, partner: partner.slug, dealname: kilometers(10_500) },
      { id: after, partner: partner.slug },
    )
    expect(Buffer.byteLength(content)).toBeLessThan(256 * 1024)
    for (const dryRun of [true, false]) {
      expect(await importText(content, { dryRun })).toMatchObject({
        counts: { ...none, created: 2, rejected: 1 },
        rejected: [`2 ${reason}`],
      })
    }
    expect(await Promise.all([before, big, after].map(jsonOf))).toEqual([
      expect.any(String),
      undefined,
      expect.any(String),
    ])
  })

  test('is rejected if it is too large only together with the stored deal', async () => {
    const [id, other] = makeIds(2) as [bigint, bigint]
    expect(
      (await importText(lines({ id, partner: partner.slug, dealname: kilometers(6000) }))).counts.created,
    ).toBe(1)
    const json = await jsonOf(id)
    expect(
      await importText(lines({ id, city: kilometers(6000, 100_000) }, { id: other, partner: partner.slug })),
    ).toMatchObject({ counts: { ...none, created: 1, rejected: 1 }, rejected: [`1 ${reason}`] })
    expect(await jsonOf(id)).toBe(json)
    expect(
      (await importText(lines({ id, dealname: null, city: kilometers(6000, 100_000) }))).counts.updated,
    ).toBe(1)
  })

  test('is rejected if it grows in parts beyond the largest deal', async () => {
    const [id] = makeIds(1) as [bigint]
    const text = 'x '.repeat(110_000)
    const imports = ['dealname', 'city', 'notes', 'primaryPhone'].map((field) => ({ [field]: text }))
    const rejected: number[] = []
    for (const part of imports)
      rejected.push((await importText(lines({ id, partner: partner.slug, ...part }))).counts.rejected)
    expect(rejected).toEqual([0, 0, 1, 1])
  })

  test('never stops the import, whatever its excess and position', async () => {
    const texts = [
      kilometers(10_000),
      '🏠'.repeat(60_000),
      `${'ﷺ＇＼'.repeat(25_000)}`,
      `${'İ\u0301'.repeat(60_000)}`,
      `'\\''${'1-'.repeat(100_000)}`,
      '㌖'.repeat(80_000),
    ]
    const fields = [
      'dealname',
      'lastName',
      'streetAddress',
      'city',
      'stage',
      'pipeline',
      'zipCode',
      'utilityName',
      'primaryPhone',
      'hoaEmail',
      'systemSize',
      'closerName',
      'notes',
    ]
    const records = texts.flatMap((text) => [
      ...fields.map((field) => ({ [field]: text })),
      ...['firstName', 'email', 'teams'].map((field) => ({ owner: { id: 1, [field]: text } })),
    ])
    const content = lines(
      ...makeIds(records.length + 1).map((id, index) => ({ id, partner: partner.slug, ...records[index] })),
    )
    const { counts, rejected } = await importText(content)
    expect([...new Set(rejected.map((line) => line.replace(/^\d+ /, '')))]).toEqual([reason])
    expect(counts.created).toBeGreaterThan(records.length * 0.9)
    expect(await jsonOf(lastId)).toEqual(expect.any(String))
  })
})
