import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { lines, openImports } from '#e2e/importing.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { Partner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { readStored } from '../deals/row-store.ts'
import { insertFile } from '../files/store.ts'
import { writeEndpoints } from '../webhooks/store.ts'
import { importStoragesOf } from './make-storages.ts'
import { removeOldImports } from './remove-old.ts'

const world = openImports()
const { done, start, rejectedOf, upload, bringIn, makeIds } = world
const makeId = () => makeIds(1)[0]!
let partner: Partner
let other: Partner
beforeEach(async () => {
  ;({ partner } = world)
  other = await world.makePartner('Another')
})

/** Creates and checks the undo of an import. Returns the undo. */
async function prepareUndo(id: number) {
  const undo = await world.caller.undo({ id })
  await done()
  return world.caller.one(undo)
}

/** Returns the JSON and the partner of each deal, or undefined if the deal does not exist. */
async function stateOf(ids: number[]) {
  const stored = await readStored(world.database.db.$client, ids.map(BigInt))
  return ids.map((id) => {
    const deal = stored.get(BigInt(id))
    return deal && { json: deal.json, partnerId: deal.partnerId }
  })
}

/** Returns the events of each partner by type, and the number of changes per field. */
async function eventsSince(sequences: Map<number, number>) {
  const counts: Record<string, number> = {}
  for (const { id, slug } of [partner, other]) {
    const rows = await world.database.db.$client<{ type: string }[]>`
      select type from events where partner_id = ${id} and sequence > ${sequences.get(id) ?? 0}`
    for (const { type } of rows) counts[`${slug} ${type}`] = (counts[`${slug} ${type}`] ?? 0) + 1
  }
  return counts
}

async function sequencesNow() {
  const rows = await world.database.db.$client<{ id: number; last: string }[]>`
    select id, last_sequence as last from deal_lists`
  return new Map(rows.map(({ id, last }) => [id, Number(last)]))
}

describe('the preview of an import', () => {
  test('matches the import in counts, fields and events for random files', async () => {
    const ids = makeIds(12)
    const record = fc.record(
      {
        id: fc.constantFrom(...ids, 'no id'),
        stage: fc.constantFrom('Permit', 'NTP', null),
        amount: fc.constantFrom(1, 2.5, null, 'much'),
        hasHoa: fc.boolean(),
        lastModified: fc.constantFrom('2026-03-01T10:20:05Z', '2026-03-02T10:20:05Z'),
        partner: fc.constantFrom(0, 1, 'nobody'),
      },
      { requiredKeys: ['id'] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 15 }), async (records) => {
        const slugs = [partner.slug, other.slug]
        const file = records.map((each) =>
          typeof each.partner === 'number' ? { ...each, partner: slugs[each.partner] } : each,
        )
        const before = await stateOf(ids)
        const sequences = await sequencesNow()
        const checked = await upload(lines(...file), { partner: null })
        expect(await stateOf(ids)).toEqual(before)
        if (checked.created + checked.updated === 0) return world.caller.discard({ id: checked.id })
        const { created, updated, unchanged, rejected } = await start(checked.id)
        expect(checked).toMatchObject({ created, updated, unchanged, rejected })
        expect(
          Object.fromEntries(
            checked.sample!.events.flatMap((counts) =>
              (['created', 'updated', 'removed'] as const).flatMap((type) =>
                counts[type] > 0 ? [[`${counts.partner} deal.${type}`, counts[type]]] : [],
              ),
            ),
          ),
        ).toEqual(await eventsSince(sequences))
        const after = await stateOf(ids)
        const changed: Record<string, number> = {}
        for (const [index, now] of after.entries()) {
          const then = before[index]
          if (now === undefined || then === undefined) continue
          const [from, to] = [then, now].map(({ json }) => JSON.parse(json) as Record<string, unknown>)
          for (const field of Object.keys(to!))
            if (JSON.stringify(from![field]) !== JSON.stringify(to![field]))
              changed[field] = (changed[field] ?? 0) + 1
          if (now.partnerId !== then.partnerId) changed['partner'] = (changed['partner'] ?? 0) + 1
        }
        expect(Object.fromEntries(checked.sample!.fields.map(({ field, count }) => [field, count]))).toEqual(
          changed,
        )
      }),
      { numRuns: 10 },
    )
  })

  test('shows the most frequently changed field first with ten examples, and where events go', async () => {
    const ids = makeIds(12)
    await bringIn(lines(...ids.map((id) => ({ id, stage: 'Permit', amount: 1 }))))
    await writeEndpoints(world.database.db, partner.id as PartnerId, { update: 'https://1.1.1.1/updated' })
    const { sample, endpoints } = await upload(
      lines(...ids.map((id, index) => ({ id, stage: 'NTP', ...(index > 8 && { amount: 2 }) }))),
    )
    expect(sample!.fields.map(({ field, count, examples }) => [field, count, examples.length])).toEqual([
      ['stage', 12, 10],
      ['amount', 3, 3],
    ])
    expect(sample!.events).toEqual([{ partner: partner.slug, created: 0, updated: 12, removed: 0 }])
    expect(endpoints).toEqual([
      { slug: partner.slug, name: 'A partner', createURL: null, updateURL: 'https://1.1.1.1/updated' },
    ])
  })

  test('can be applied without sending events', async () => {
    const sequences = await sequencesNow()
    const { id } = await upload(lines({ id: makeId() }))
    await world.caller.start({ id, events: false })
    await done()
    expect(await world.caller.one({ id })).toMatchObject({ state: 'done', created: 1, events: false })
    expect(await eventsSince(sequences)).toEqual({})
  })

  test('reports that the same file was imported before', async () => {
    const content = lines({ id: makeId() })
    const first = await bringIn(content)
    expect(first).toMatchObject({ same: null, checksum: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(first.startedAt!.getTime()).toBeLessThanOrEqual(first.finishedAt!.getTime())
    expect(await upload(content)).toMatchObject({ same: { id: first.id, who: 'Ana' }, unchanged: 1 })
    expect(await upload(`${content} `)).toMatchObject({ same: null })
  })
})

describe('rejected rows and rows with unreadable cells', () => {
  test.each([
    [
      'CSV',
      'deals.csv',
      (id: number) => `id,notes,amount\n${id},"-5, ""x""\ny",1\n${id + 1},+1 602,much\n${id + 2},'=a,2 x\n`,
      (text: string) => text.replace(',much', ',3').replace(',2 x', ',4'),
    ],
    [
      'NDJSON',
      'deals.ndjson',
      (id: number) =>
        lines({ id, notes: '-5' }, { id: id + 1, amount: 'much', notes: '+1 602' }) +
        lines({ id: id + 2, amount: '2 x', notes: "'=a" }),
      (text: string) => text.replace('""much""', '3').replace('""2 x""', '4'),
    ],
  ])('can be corrected and imported separately: %s', async (_what, fileName, contentOf, correct) => {
    const [id] = makeIds(3) as [number]
    const first = await bringIn(contentOf(id), { fileName })
    expect(first).toMatchObject({ created: 3, rejected: 0, unreadable: 2 })
    const rows = await rejectedOf(first.id)
    expect(rows).toMatch(/^\uFEFFLine,Reasons,.*\r\n\d,Left out: amount “much” is not a number;/)
    const again = await upload(correct(rows), { fileName: 'rejected.csv' })
    expect(again.sample).toMatchObject({ rejected: [], unknown: [] })
    expect(await start(again.id)).toMatchObject({ created: 0, updated: 2, rejected: 0, unreadable: 0 })
    expect((await stateOf([id + 1, id + 2])).map((deal) => JSON.parse(deal!.json) as object)).toMatchObject([
      { notes: '+1 602', amount: 3 },
      { notes: "'=a", amount: 4 },
    ])
  })
})

describe('the columns of a file', () => {
  test('are suggested, chosen, and remembered by their titles', async () => {
    const [a, b] = makeIds(2) as [number, number]
    const content = (id: number) =>
      `Nummer,Stufe,Sales Rep,Rep Email\n${id},Permit,Maria Alvarez,m@x.example\n`
    const checked = await upload(content(a), { fileName: 'deals.csv' })
    expect(checked.sample).toMatchObject({
      columnProblem: expect.stringMatching(/^No column is read as the deal's id/),
      columns: [
        { title: 'Nummer', examples: [String(a)], field: '' },
        { title: 'Stufe', examples: ['Permit'], field: '' },
        { title: 'Sales Rep', field: '', mayBe: ['closerName', 'owner.name'] },
        { title: 'Rep Email', field: '', mayBe: ['', 'owner.email'] },
      ],
    })
    expect(checked.fields).toContain('stage')
    for (const fields of [['id'], ['', '', '', ''], ['id', 'id', '', ''], ['id', 'x', '', '']])
      await expect(world.caller.choose({ id: checked.id, fields })).rejects.toThrow()
    const fields = ['id', 'stage', 'owner.name', 'owner.email']
    await world.caller.choose({ id: checked.id, fields })
    await done()
    expect(await world.caller.one({ id: checked.id })).toMatchObject({ state: 'checked', created: 1 })
    await start(checked.id)
    expect(JSON.parse((await stateOf([a]))[0]!.json)).toMatchObject({
      stage: 'Permit',
      owner: { firstName: 'Maria', lastName: 'Alvarez', email: 'm@x.example' },
    })
    const next = await upload(content(b), { fileName: 'more.csv' })
    await world.caller.discard({ id: next.id })
    expect(next).toMatchObject({
      created: 1,
      sample: { columns: [{ field: 'id' }, { field: 'stage' }, {}, {}] },
    })
    // A known person keeps the id and all other data from the CRM.
    const owner = { id: 77, email: 'M@x.example', firstName: 'Maria', lastName: 'Alvarez', teams: 'West' }
    await bringIn(lines({ id: a, owner }))
    const again = await upload(content(a), { fileName: 'again.csv' })
    await world.caller.discard({ id: again.id })
    expect(again).toMatchObject({ unchanged: 1 })
  })
})

describe('an undo', () => {
  test('restores updated and moved deals byte for byte, removes created deals, and can itself be undone', async () => {
    const [a, b, c, d] = makeIds(4) as [number, number, number, number]
    const ids = [a, b, c, d]
    await bringIn(lines({ id: a, stage: 'x', notes: 'ä' }, { id: b, stage: 'x' }, { id: c }))
    const before = await stateOf(ids)
    const { id } = await bringIn(
      lines(
        { id: a, stage: 'y', partner: partner.slug },
        { id: b, partner: other.slug },
        { id: c },
        { id: d, dealname: 'New', partner: other.slug },
      ),
      { partner: null },
    )
    const after = await stateOf(ids)
    const sequences = await sequencesNow()
    const undo = await prepareUndo(id)
    expect(undo).toMatchObject({
      state: 'checked',
      origin: 'undo',
      undoes: id,
      created: 0,
      updated: 2,
      removed: 1,
    })
    expect(undo.sample!.events.toSorted((a, b) => a.removed - b.removed)).toEqual([
      { partner: partner.slug, created: 1, updated: 1, removed: 0 },
      { partner: other.slug, created: 0, updated: 0, removed: 2 },
    ])
    expect(undo.sample!.changes).toContainEqual(
      expect.objectContaining({ id: String(d), name: 'New', isRemoved: true }),
    )
    expect(await stateOf(ids)).toEqual(after)
    const undone = await start(undo.id)
    expect(undone).toMatchObject({ state: 'done', updated: 2, removed: 1, rejected: 0 })
    expect(await stateOf(ids)).toEqual(before)
    expect(await eventsSince(sequences)).toEqual({
      [`${partner.slug} deal.created`]: 1,
      [`${partner.slug} deal.updated`]: 1,
      [`${other.slug} deal.removed`]: 2,
    })
    expect(await world.caller.one({ id })).toMatchObject({ undo: { id: undo.id, state: 'done' } })
    await expect(world.caller.undo({ id })).rejects.toThrow('moved on')
    const beforeRedo = await sequencesNow()
    const redo = await prepareUndo(undo.id)
    expect(await start(redo.id)).toMatchObject({ created: 1, updated: 2, rejected: 0 })
    expect(await stateOf(ids)).toEqual(after)
    expect(await eventsSince(beforeRedo)).toEqual({
      [`${partner.slug} deal.removed`]: 1,
      [`${partner.slug} deal.updated`]: 1,
      [`${other.slug} deal.created`]: 2,
    })
    const [entry] = await world.database.db.$client<{ action: string; subject: string }[]>`
      select action, subject from audit_entries order by id desc limit 1`
    expect(entry).toMatchObject({ action: 'import.undone', subject: expect.stringMatching(/^deals\.ndjson/) })
  })

  test('keeps and lists deals that changed since the import', async () => {
    const [a, b, c, d, e] = makeIds(5) as [number, number, number, number, number]
    await bringIn(lines({ id: a, stage: 'x' }, { id: b, stage: 'x' }))
    const { id } = await bringIn(
      lines({ id: a, stage: 'y' }, { id: b, stage: 'y' }, { id: c }, { id: d }, { id: e }),
    )
    await bringIn(lines({ id: b, stage: 'z' }, { id: d, stage: 'z' }))
    const file = { id: crypto.randomUUID(), name: 'a', type: 'text/plain', sizeBytes: 1 }
    await insertFile(world.database.db, { ...file, dealId: BigInt(e) })
    const undo = await prepareUndo(id)
    expect(undo).toMatchObject({ updated: 1, removed: 1, rejected: 3 })
    expect(undo.sample!.rejected.map(({ deal, reason }) => `${deal} ${reason}`)).toEqual([
      `${b} was changed after the import`,
      `${d} was changed after the import`,
      `${e} has files by now`,
    ])
    // The deal changes between the preview and the undo.
    await writeDeals(world.database.db, [{ record: { id: BigInt(a), stage: 'w' }, partnerId: partner.id }], {
      now: new Date(),
      events: true,
    })
    expect(await start(undo.id)).toMatchObject({ updated: 0, removed: 1, rejected: 4 })
    const stages = (await stateOf([a, b, c, d])).map(
      (deal) => deal && (JSON.parse(deal.json) as { stage: string | null }).stage,
    )
    expect(stages).toEqual(['w', 'z', undefined, 'z'])
    expect(await rejectedOf(undo.id)).toContain(`was changed after the import,${b}`)
  })

  test('can be repeated if it restored nothing', async () => {
    const [a] = makeIds(1) as [number]
    const { id } = await bringIn(lines({ id: a }))
    const file = { id: crypto.randomUUID(), name: 'a', type: 'text/plain', sizeBytes: 1 }
    await insertFile(world.database.db, { ...file, dealId: BigInt(a) })
    expect(await start((await prepareUndo(id)).id)).toMatchObject({ state: 'done', removed: 0, rejected: 1 })
    expect(await world.caller.one({ id })).toMatchObject({ undo: null })
    await world.database.db.$client`delete from files where id = ${file.id}`
    expect(await start((await prepareUndo(id)).id)).toMatchObject({ removed: 1, rejected: 0 })
  })

  test('removes the stages that the import added, unless a deal is in them', async () => {
    const [a, b, c] = makeIds(3) as [number, number, number]
    const known = async () =>
      (
        await world.database.db.$client<{ name: string }[]>`
          select name from stages where name like 'Made%' or name = 'Before it' order by name`
      ).map(({ name }) => name)
    await bringIn(lines({ id: a, stage: 'Before it' }))
    const { id } = await bringIn(
      lines(
        { id: a, stage: 'Made for two weeks' },
        { id: b, stage: 'Made by mistake' },
        { id: c, stage: 'Made and used' },
      ),
    )
    await bringIn(lines({ id: makeId(), stage: 'Made and used' }))
    const undo = await prepareUndo(id)
    expect(undo.sample!.removedStages).toEqual(['Made by mistake', 'Made for two weeks'])
    expect(await known()).toEqual(['Before it', 'Made and used', 'Made by mistake', 'Made for two weeks'])
    await start(undo.id)
    expect(await known()).toEqual(['Before it', 'Made and used'])
    const redo = await prepareUndo(undo.id)
    expect(redo.sample!.removedStages).toBeUndefined()
    await start(redo.id)
    expect(await known()).toEqual(['Before it', 'Made and used', 'Made by mistake', 'Made for two weeks'])
    await start((await prepareUndo(redo.id)).id)
    expect(await known()).toEqual(['Before it', 'Made and used'])
  })

  test('keeps a stage that the CRM has described in the meantime', async () => {
    const { id } = await bringIn(lines({ id: makeId(), stage: 'Described by now' }))
    await world.database.db.$client`update stages set probability = 0.5 where name = 'Described by now'`
    expect((await prepareUndo(id)).sample!.removedStages).toBeUndefined()
  })

  test('resumes after an interruption', async () => {
    const [a, b] = makeIds(2) as [number, number]
    await bringIn(lines({ id: a, stage: 'x' }))
    const { id } = await bringIn(lines({ id: a, stage: 'y' }, { id: b }))
    const undo = await prepareUndo(id)
    await start(undo.id)
    await world.database.db.$client`
      update imports set state = 'importing', finished_at = null, alive_at = null where id = ${undo.id}`
    expect(await start(undo.id)).toMatchObject({ state: 'done', updated: 0, unchanged: 1, rejected: 0 })
    expect((await stateOf([b]))[0]).toBeUndefined()
  })

  test('is possible for 30 days', async () => {
    const deal = makeId()
    const { id } = await bringIn(lines({ id: deal }))
    await bringIn(lines({ id: deal, stage: 'x' }))
    const countSaved = async () =>
      Number(
        (
          await world.database.db.$client<{ count: string }[]>`
            select (select count(*) from import_created) + (select count(*) from import_former) as count`
        )[0]!.count,
      )
    await removeOldImports(world.database.db, importStoragesOf(world.services))
    const before = await countSaved()
    await world.database.db
      .$client`update imports set finished_at = now() - interval '31 days' where id >= ${id}`
    await removeOldImports(world.database.db, importStoragesOf(world.services))
    expect(before - (await countSaved())).toBe(2)
    await expect(world.caller.undo({ id })).rejects.toThrow('moved on')
  })
})
