import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { makeOlder, olderJson } from '#e2e/older-deals.ts'
import { useDatabase } from '#e2e/use-database.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { jsonSource } from '../readers/json-source.ts'
import { importDeals } from '../records/import-deals.ts'
import { countDeals } from '../search/count-store.ts'
import { readMatching } from '../search/export-store.ts'
import { findFirst } from '../search/store.ts'
import { type DealFilter, initialSort } from '../search/wire.ts'
import { saveStage } from '../stages/store.ts'
import { dayMs } from '../values/units.ts'
import { utc } from '../values/zone.ts'
import { writeDeals, type WriteOptions } from './deal-writer.ts'
import { type DealRecord, type DealField, type Person } from './deal.ts'
import { readPage } from './list-store.ts'
import { renewStatuses, renderOldDeals } from './render-old-store.ts'
import { parseDeal, renderDeal, renderVersion } from './render.ts'
import { readKnownDeal, readRevision, readDeal } from './store.ts'

// Fields missing from deals of an older version, one of each kind: a person, a text, a flag and a time. None
// is the last field.
const added: DealField[] = ['ixCoordinator', 'roofType', 'hasHoa', 'reSignDate']

const database = useDatabase()
let directory: string
let partnerId: PartnerId
let lastId = 0n

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'render-old-'))
})
afterAll(async () => {
  await rm(directory, { recursive: true })
})
beforeEach(async () => {
  await renderOldDeals(database.db)
  partnerId = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id as PartnerId
})

const now = new Date('2026-03-01T17:20:05.123Z')
const options: WriteOptions = { now, events: true }
const write = (records: DealRecord[], more: Partial<WriteOptions> = {}) =>
  writeDeals(
    database.db,
    records.map((record) => ({ record, partnerId })),
    { ...options, ...more },
  )

const newRecords = (count: number) =>
  Array.from({ length: count }, (): DealRecord => ({
    id: ++lastId,
    dealname: `Deal ${lastId}`,
    stage: 'NTP',
    amount: 0.1,
    hasBattery: true,
    lastModified: '2026-02-01T10:00:00.000Z',
    owner: { id: 2n ** 62n, firstName: 'Ana' } as Person,
  }))

/**
 * Creates the partner's deals as an older version stored them. Returns them by ID, in the form that this
 * version should store.
 */
async function olderDeals(count: number): Promise<Map<bigint, string>> {
  const records = newRecords(count)
  for (let start = 0; start < count; start += 500) await write(records.slice(start, start + 500))
  await makeOlder(database.db, partnerId, added)
  return new Map(records.map((record) => [record.id, renderDeal(record)]))
}

interface Kept {
  id: string
  json: string
  version: number
}

const readOldRows = () =>
  database.db.$client<
    Kept[]
  >`select id, json, render_version as version from deals where partner_id = ${partnerId} order by id`
const columns = () =>
  database.db
    .$client`select id, words, name_key, flags, people, re_sign_date_at, last_modified from deals where partner_id = ${partnerId} order by id`
const events = () =>
  database.db.$client<
    { sequence: number; body: string }[]
  >`select sequence::integer, body from events where partner_id = ${partnerId} order by sequence`
const revisions = async () =>
  Promise.all([readRevision(database.db, partnerId), readRevision(database.db, 0 as never)])
const expectRendered = async (deals: Map<bigint, string>) =>
  expect([...(await readOldRows())]).toEqual(
    [...deals].map(([id, json]) => ({ id: String(id), json, version: renderVersion })),
  )

async function bringIn(lines: string[]) {
  const path = join(directory, crypto.randomUUID())
  await writeFile(path, lines.join('\n'))
  const none = () => {}
  return importDeals(
    database.db,
    jsonSource(path),
    { partners: [], dryRun: false, events: true, now: () => now },
    { rejected: none, unknown: none, superseded: none, progress: none },
  )
}

describe('an older deal, before it is re-rendered,', () => {
  test('is returned with all its keys, alone and on pages with others', async () => {
    const deals = await olderDeals(3)
    expect((await readOldRows()).map(({ json }) => json)).toEqual(
      [...deals.values()].map((json) => olderJson(json, added)),
    )
    await write([...newRecords(2)].map((record) => (deals.set(record.id, renderDeal(record)), record)))
    for (const [id, json] of deals) expect(await readDeal(database.db, partnerId, id)).toBe(json)
    const { dealsJson, count } = await readPage(database.db, partnerId, 1, 10)
    expect([dealsJson, count]).toEqual([[...deals.values()].join(','), 5])
    expect((await readPage(database.db, partnerId, 2, 10)).dealsJson).toBe('')
    expect((await readPage(database.db, partnerId, 2, 2)).dealsJson).toBe(
      [...deals.values()].slice(2, 4).join(','),
    )
  })

  test('is found and exported with all its keys', async () => {
    const [json] = [...(await olderDeals(1)).values()]
    const found = (
      await findFirst(database.db, { tenant: partnerId, filter: {}, zone: utc }, initialSort, 5)
    ).map((deal) => deal.json)
    await readMatching(
      database.db,
      { tenant: partnerId, filter: {}, zone: utc },
      initialSort,
      async (some) => void found.push(...some.map(({ json }) => json)),
    )
    expect(found.map((each) => parseDeal(each))).toEqual([parseDeal(json!), parseDeal(json!)])
  })
})

describe('re-rendering older deals in the background', () => {
  test('adds their columns without events; list revisions change, and lastModified does not', async () => {
    const deals = await olderDeals(600)
    const times = (await columns()).map((row) => row['last_modified'])
    const [written, before] = [await events(), await revisions()]
    expect(await renderOldDeals(database.db)).toBe(600)
    await expectRendered(deals)
    expect([...(await events())]).toEqual([...written])
    const after = await revisions()
    expect(after.every((revision, at) => revision > before[at]!)).toBe(true)
    expect((await columns()).map((row) => row['name_key'])).toEqual(
      [...deals.keys()].map((id) => `deal ${id}`),
    )
    expect((await columns()).map((row) => row['last_modified'])).toEqual(times)
    // Running again finds nothing left to render.
    expect(await renderOldDeals(database.db)).toBe(0)
    expect(await revisions()).toEqual(after)
  })

  test('produces the same columns as writing the deals now', async () => {
    const deals = await olderDeals(20)
    const fresh = [...deals.keys()].map((id): DealRecord => ({ ...parseDeal(deals.get(id)!), id }))
    await renderOldDeals(database.db)
    const rendered = [...(await columns())]
    await database.db.$client`delete from deal_places where list_id = ${partnerId}`
    await database.db.$client`delete from deals where partner_id = ${partnerId}`
    await write(fresh)
    expect(rendered).toEqual([...(await columns())])
  })

  test('skips deals rendered by a newer version', async () => {
    const [record] = newRecords(1)
    await write([record!])
    const newer = renderDeal(record!).replace(/\}$/, ',"later":1}')
    await database.db
      .$client`update deals set render_version = ${renderVersion + 1}, json = ${newer} where id = ${String(record!.id)}`
    expect(await renderOldDeals(database.db)).toBe(0)
    expect(await write([record!])).toEqual(['unchanged'])
    expect([...(await readOldRows())]).toEqual([
      { id: String(record!.id), json: newer, version: renderVersion + 1 },
    ])
  })

  test('finds older deals by an index', async () => {
    const plan = await database.db.$client.begin(async (sql) => {
      await sql.unsafe(
        'set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off',
      )
      return await sql`explain select id from deals where render_version < ${renderVersion} and (render_version, id) > (0, 5) order by render_version, id limit 250`
    })
    expect(plan.map((row) => row['QUERY PLAN'] as string).join('\n')).toMatch(
      /^Limit[^\n]*\n[^\n]*Index (?:Only )?Scan using deals_render_version_id_index/,
    )
  })

  test('skips a deal with too many words, which stays searchable', async () => {
    const id = ++lastId
    const dealname = Array.from(
      { length: 40_000 },
      (_, at) => `${'\u{1d5ba}'.repeat(3)}${at}${'x'.repeat(30)}`,
    ).join(' ')
    const json = renderDeal({ id, dealname })
    await database.db
      .$client`insert into deals (id, partner_id, json) values (${String(id)}, ${partnerId}, ${json})`
    const deals = await olderDeals(1)
    expect(await write([{ id }], { dryRun: true })).toEqual(['unchanged'])
    await renderOldDeals(database.db)
    await expectRendered(new Map([[id, json], ...deals]))
    for (const search of ['aaa7xxx', String(id)]) {
      const query = { tenant: partnerId, filter: { search }, zone: utc }
      expect(await findFirst(database.db, query, initialSort, 5)).toHaveLength(1)
    }
  })

  test('pauses when the process stops, and resumes after a restart', async () => {
    const deals = await olderDeals(600)
    let batches = 0
    expect(await renderOldDeals(database.db, () => batches++ === 1)).toBe(250)
    expect((await readOldRows()).filter(({ version }) => version === renderVersion)).toHaveLength(250)
    expect(await renderOldDeals(database.db)).toBe(350)
    await expectRendered(deals)
  })

  test('works in several processes during imports, without losing or repeating any', async () => {
    const deals = await olderDeals(1200)
    const ids = [...deals.keys()]
    const others = [openDatabase(database.url, 2), openDatabase(database.url, 2)]
    const changed = ids.filter((_id, at) => at % 3 === 0)
    for (const id of changed)
      deals.set(id, renderDeal({ ...parseDeal(deals.get(id)!), stage: 'Permit', hasHoa: true }))
    const importing = (async () => {
      // Starts from the end, so that the two meet in the middle.
      for (let end = ids.length; end > 0; end -= 60) {
        const records = ids
          .slice(Math.max(0, end - 60), end)
          .map((id): DealRecord =>
            changed.includes(id) ? { id, stage: 'Permit', hasHoa: true } : { id, stage: 'NTP' },
          )
        await write(records)
      }
    })()
    const counts = await Promise.all([
      renderOldDeals(database.db),
      ...others.map((db) => renderOldDeals(db)),
      importing,
    ])
    for (const other of others) await other.$client.end()
    expect(counts.slice(0, 3).reduce<number>((sum, count) => sum + Number(count), 0)).toBeLessThanOrEqual(
      1200,
    )
    await expectRendered(deals)
    const updates = (await events()).slice(1200)
    expect(updates.map(({ sequence }) => sequence)).toEqual(changed.map((_id, at) => 1201 + at))
    const bodies = updates.map(
      ({ body }) => JSON.parse(body) as { type: string; data: { id: number }; changes: object[] },
    )
    expect(bodies.map(({ data }) => data.id).toSorted((a, b) => a - b)).toEqual(changed.map(Number))
    for (const { type, changes } of bodies)
      expect([type, changes]).toEqual([
        'deal.updated',
        [
          { field: 'stage', from: 'NTP', to: 'Permit' },
          { field: 'hasHoa', from: false, to: true },
        ],
      ])
  })
})

describe('importing an older deal', () => {
  test('re-renders it without an event if nothing changed, in any record format', async () => {
    const deals = await olderDeals(5)
    const written = await events()
    const lines = [...deals].map(
      ([id, json], at) =>
        [
          // Includes the deal as the older API returned it, as the current API returns it, partially, and
          // with the new fields empty.
          olderJson(json, added),
          json,
          `{"id":${id}}`,
          `{"id":${id},"stage":"NTP","roofType":null}`,
          `{"id":${id},"hasHoa":false}`,
        ][at]!,
    )
    const unchanged = { created: 0, updated: 0, unchanged: 5, rejected: 0, unreadable: 0 }
    const before = await revisions()
    expect(await bringIn(lines)).toEqual(unchanged)
    await expectRendered(deals)
    expect([...(await events())]).toEqual([...written])
    const after = await revisions()
    expect(after[0]).toBeGreaterThan(before[0]!)
    expect(await bringIn(lines)).toEqual(unchanged)
    expect(await revisions()).toEqual(after)
  })

  test('reports only actual changes, with the deal after the change', async () => {
    const [[id, json]] = [...(await olderDeals(1))] as [[bigint, string]]
    expect(await write([{ id, roofType: 'Tile' }])).toEqual(['updated'])
    const event = JSON.parse((await events()).at(-1)!.body) as object
    expect(event).toMatchObject({
      type: 'deal.updated',
      data: JSON.parse(renderDeal({ ...parseDeal(json), roofType: 'Tile' })) as object,
      changes: [{ field: 'roofType', from: null, to: 'Tile' }],
    })
    await makeOlder(database.db, partnerId, ['hasHoa'])
    expect(await write([{ id, lastModified: '2026-02-02T10:00:00.000Z' }])).toEqual(['updated'])
    expect(await events()).toHaveLength(2)
  })
})

/** Writes new deals with these fields now. */
const add = (...records: Omit<DealRecord, 'id'>[]) =>
  write(
    records.map((record) => ({ ...record, id: ++lastId })),
    { now: new Date() },
  )
const count = async (filter: DealFilter) =>
  (await countDeals(database.db, { tenant: partnerId, filter, zone: utc })).count
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString()

/** Moves dates that change the status into the past, as if time had passed since the deals were written. */
const passTime = async (field: string, days: number) => {
  await database.db.$client`
    update deals set json = replace(json, ${inDays(days).slice(0, 10)}, ${inDays(-1).slice(0, 10)}),
      status_changes_at = now() - interval '1 minute'
    where partner_id = ${partnerId} and status_changes_at is not null and json like ${`%${field}%`}`
}

describe('the status of a deal', () => {
  test('is updated once when a date passes, with a new list revision', async () => {
    await add({ stage: 'Site Survey', siteSurveyCompleted: inDays(9) }, { stage: 'Site Survey' })
    expect(await count({ holds: ['survey'] })).toBe(2)
    expect(await renewStatuses(database.db)).toBe(0)
    await passTime('siteSurveyCompleted', 9)
    const before = await readRevision(database.db, partnerId)
    expect(await renewStatuses(database.db)).toBe(1)
    expect(await count({ holds: ['cad'] })).toBe(1)
    expect(await count({ holds: ['survey'] })).toBe(1)
    expect(await readRevision(database.db, partnerId)).toBeGreaterThan(before)
    expect(await renewStatuses(database.db)).toBe(0)
  })

  test('is updated without an event when the kind of its stage changes', async () => {
    await add({ stage: 'Waiting on Bob' }, { stage: 'Waiting on Bob' }, { stage: 'Engineering' })
    expect(await count({ holds: ['unknown'] })).toBe(2)
    const set = (change: Omit<Parameters<typeof saveStage>[1], 'name'>) =>
      database.db.transaction((tx) => saveStage(tx, { name: 'Waiting on Bob', ...change }))
    expect(await set({ place: 'permit' })).toMatchObject({ place: 'permit' })
    expect(await renewStatuses(database.db)).toBe(2)
    expect(await count({ holds: ['permit'], gates: ['install'] })).toBe(2)
    expect(await renewStatuses(database.db)).toBe(0)
    await set({ kind: 'won' })
    await renewStatuses(database.db)
    expect(await count({ done: ['install'] })).toBe(2)
    const events = await database.db
      .$client`select type from events where partner_id = ${partnerId} and type <> 'deal.created'`
    expect(events).toHaveLength(0)
  })
})

test('a flag missing from all sources is null in the portal, and false for partners', async () => {
  const id = lastId + 1n
  await add({ stage: 'Permit', hasHoa: false, hasBattery: true })
  const known = JSON.parse((await readKnownDeal(database.db, partnerId, id))!)
  expect(known).toMatchObject({ hasHoa: false, hasBattery: true, permitRequired: null })
  const [stored] = await database.db.$client`select json from deals where id = ${String(id)}`
  expect(JSON.parse(stored!['json'])).toMatchObject({ permitRequired: false })
})

describe('the record of known flags', () => {
  const update = (id: bigint, record: Omit<DealRecord, 'id'>, keepsEmpty = false) =>
    writeDeals(database.db, [{ record: { ...record, id }, partnerId, keepsEmpty }], {
      now: new Date(),
      events: true,
    })
  const flagsOf = async (id: bigint) => {
    const { hasHoa, permitRequired } = JSON.parse((await readKnownDeal(database.db, partnerId, id))!)
    return { hasHoa, permitRequired }
  }

  test('survives updates that omit a flag, and changes without an event if the flag becomes false', async () => {
    await add({ stage: 'Permit', hasHoa: false })
    const id = lastId
    expect(await update(id, { stage: 'Permit' })).toEqual(['unchanged'])
    expect(await flagsOf(id)).toEqual({ hasHoa: false, permitRequired: null })
    expect(await update(id, { permitRequired: false })).toEqual(['unchanged'])
    expect(await flagsOf(id)).toEqual({ hasHoa: false, permitRequired: false })
    expect(await update(id, { hasHoa: null })).toEqual(['unchanged'])
    expect(await flagsOf(id)).toEqual({ hasHoa: null, permitRequired: false })
    expect(await update(id, { permitRequired: null }, true)).toEqual(['unchanged'])
    expect(await flagsOf(id)).toEqual({ hasHoa: null, permitRequired: false })
  })
})
