import { beforeEach, describe, expect, test } from 'vitest'
import { useDatabase } from '#e2e/use-database.ts'
import { insertPartner } from '../accounts/store.ts'
import { parseJson } from '../values/int64.ts'
import type { DealWrite } from './change.ts'
import { prepareWrites, writeDeals, writePrepared } from './deal-writer.ts'
import type { DealRecord, Person } from './deal.ts'
import { deleteDeal } from './removal-store.ts'
import { renderDeal } from './render.ts'
import { readStored } from './row-store.ts'
import { fold } from './search-text.ts'

const database = useDatabase()
let partnerId: number
let otherId: number
let lastId = 0n

beforeEach(async () => {
  partnerId = await makePartner()
  otherId = await makePartner()
})

const makePartner = async () => (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id
const makeId = () => ++lastId
const now = new Date('2026-03-01T17:20:05.123Z')
const options = { now, events: true }

function write(record: DealRecord, owner?: number | null): Promise<string[]> {
  return writeDeals(database.db, [{ record, partnerId: owner }], options)
}

async function storedDeal(id: bigint) {
  const { version: _version, ...deal } = (await readStored(database.db.$client, [id])).get(id) ?? {}
  return 'json' in deal ? deal : undefined
}

interface StoredEvent {
  sequence: string
  type: string
  dealId: string
  createdAt: string
  body: string
}

function eventsOf(id: number) {
  return database.db.$client<StoredEvent[]>`
    select sequence, type, deal_id as "dealId", created_at as "createdAt", body from events where partner_id = ${id} order by sequence`
}

/** Returns everything that is stored about deals as one text. */
async function everything(): Promise<string> {
  const { $client: sql } = database.db
  const tables = [
    sql`select * from deals order by id`,
    sql`select * from deal_lists order by id`,
    sql`select * from deal_places order by list_id, position`,
    sql`select * from deal_gaps order by list_id, position`,
    sql`select * from events order by partner_id, sequence`,
  ]
  return JSON.stringify(await Promise.all(tables))
}

describe('the outcome of a write', () => {
  test('is "created" for a new deal, which is stored as partners receive it', async () => {
    const id = makeId()
    expect(await write({ id, stage: 'NTP' }, partnerId)).toEqual(['created'])
    expect(await storedDeal(id)).toEqual({
      given: expect.any(Number),
      isCurrent: true,
      partnerId,
      json: renderDeal({ id, stage: 'NTP' }),
    })
  })

  test('is "updated" for a change, which keeps omitted fields', async () => {
    const id = makeId()
    await write({ id, stage: 'NTP', notes: 'a', hasHoa: true }, partnerId)
    expect(await write({ id, stage: 'Permit', hasHoa: null })).toEqual(['updated'])
    expect(await storedDeal(id)).toEqual({
      given: expect.any(Number),
      isCurrent: true,
      partnerId,
      json: renderDeal({ id, stage: 'Permit', notes: 'a', hasHoa: false }),
    })
  })

  test('is "unchanged" if the record, partial or complete, changes nothing', async () => {
    const id = makeId()
    const record = {
      id,
      stage: 'NTP',
      amount: 1e21,
      hasHoa: true,
      owner: { id: 5n, email: 'm@example.com' } as Person,
    }
    await write(record, partnerId)
    const before = await everything()
    for (const same of [record, { id }, { id, stage: 'NTP' }, { id, notes: null }, { id, hasHoa: true }]) {
      expect(await write(same)).toEqual(['unchanged'])
      expect(await write(same, partnerId)).toEqual(['unchanged'])
    }
    expect(await everything()).toBe(before)
  })

  test('is returned for each write in order, as in a dry run, which writes nothing', async () => {
    const [known, changed, fresh, lost] = [makeId(), makeId(), makeId(), makeId()]
    await writeDeals(
      database.db,
      [known, changed].map((id) => ({ record: { id }, partnerId })),
      options,
    )
    const writes: DealWrite[] = [
      { record: { id: fresh }, partnerId },
      { record: { id: known }, partnerId: undefined },
      { record: { id: lost }, partnerId: undefined },
      { record: { id: changed, stage: 'x' }, partnerId: undefined },
    ]
    const before = await everything()
    const outcomes = ['created', 'unchanged', 'no partner', 'updated']
    expect(await writeDeals(database.db, writes, { ...options, dryRun: true })).toEqual(outcomes)
    expect(await everything()).toBe(before)
    expect(await writeDeals(database.db, writes, options)).toEqual(outcomes)
    expect(await storedDeal(lost)).toBeUndefined()
    expect(await writeDeals(database.db, [], options)).toEqual([])
  })
})

describe('an event', () => {
  test('is written without changes for a deal that becomes visible', async () => {
    const id = makeId()
    await write({ id, stage: 'NTP' }, partnerId)
    const [event, ...more] = await eventsOf(partnerId)
    expect(more).toEqual([])
    expect(event).toMatchObject({
      sequence: '1',
      type: 'deal.created',
      dealId: String(id),
      createdAt: '2026-03-01 17:20:05.123+00',
    })
    expect(event!.body).toBe(
      `{"type":"deal.created","timestamp":"2026-03-01T17:20:05.123Z","sequence":1,"id":"1","dealId":"${id}","data":${renderDeal({ id, stage: 'NTP' })},"changes":[]}`,
    )
  })

  test('is written with old and new values for a change, in the order of the interface', async () => {
    const id = makeId()
    await write({ id, stage: 'NTP', hasHoa: true }, partnerId)
    await write({ id, hasHoa: false, notes: 'a', stage: null })
    const [, event] = await eventsOf(partnerId)
    const { json } = (await storedDeal(id))!
    expect(event).toMatchObject({ sequence: '2', type: 'deal.updated' })
    expect(event!.body).toContain(`"sequence":2,"id":"2","dealId":"${id}","data":${json},"changes":[`)
    expect((parseJson(event!.body) as { changes: unknown }).changes).toEqual([
      { field: 'stage', from: 'NTP', to: null },
      { field: 'notes', from: null, to: 'a' },
      { field: 'hasHoa', from: true, to: false },
    ])
  })

  test('is not written if only lastModified and timeInCurrentStage change, but lists both along with other changes', async () => {
    const id = makeId()
    await write({ id, stage: 'a' }, partnerId)
    const silent = {
      lastModified: '2026-03-01T17:20:05.000Z',
      timeInCurrentStage: '2026-02-20T16:00:00.000Z',
    }
    expect(await write({ id, ...silent })).toEqual(['updated'])
    expect(await storedDeal(id)).toEqual({
      given: expect.any(Number),
      isCurrent: true,
      partnerId,
      json: renderDeal({ id, stage: 'a', ...silent }),
    })
    expect(await eventsOf(partnerId)).toHaveLength(1)
    await write({ id, stage: 'b', lastModified: null })
    const [, event] = await eventsOf(partnerId)
    expect(
      (parseJson(event!.body) as { changes: { field: string }[] }).changes.map(({ field }) => field),
    ).toEqual(['stage', 'lastModified'])
  })

  test.each<[string, (mine: number, other: number) => (number | null)[], string[]]>([
    ['moves and returns', (mine, other) => [mine, other, mine], ['created', 'removed', 'created']],
    ['has no partner for some time', (mine) => [mine, null, null, mine], ['created', 'removed', 'created']],
  ])('is written for each change the partner can see when its deal %s', async (_, ownersOf, types) => {
    const id = makeId()
    for (const [at, owner] of ownersOf(partnerId, otherId).entries())
      await write({ id, stage: `${at}` }, owner)
    expect((await eventsOf(partnerId)).map(({ type }) => type)).toEqual(types.map((type) => `deal.${type}`))
  })

  test('is not written by a silent run except for a partner that loses a deal; the sequence continues', async () => {
    const id = makeId()
    await writeDeals(database.db, [{ record: { id }, partnerId }], { now, events: false })
    await writeDeals(database.db, [{ record: { id, stage: 'a' }, partnerId }], { now, events: false })
    expect(await eventsOf(partnerId)).toEqual([])
    await write({ id, stage: 'b' })
    expect(await eventsOf(partnerId)).toMatchObject([{ sequence: '1', type: 'deal.updated' }])
    await writeDeals(database.db, [{ record: { id }, partnerId: otherId }], { now, events: false })
    expect((await eventsOf(partnerId)).map(({ type }) => type)).toEqual(['deal.updated', 'deal.removed'])
    expect(await eventsOf(otherId)).toEqual([])
  })

  test('is "created" for the new partner of a moved deal and "removed" for the old partner', async () => {
    const id = makeId()
    await write({ id, stage: 'a' }, partnerId)
    expect(await write({ id, stage: 'b' }, otherId)).toEqual(['updated'])
    expect((await eventsOf(partnerId)).map(({ type }) => type)).toEqual(['deal.created', 'deal.removed'])
    const [event, ...more] = await eventsOf(otherId)
    expect(more).toEqual([])
    expect(parseJson(event!.body)).toEqual({
      type: 'deal.created',
      timestamp: now.toISOString(),
      sequence: 1,
      id: '1',
      dealId: String(id),
      data: parseJson(renderDeal({ id, stage: 'b' })),
      changes: [],
    })
  })
})

describe('a batch that fails', () => {
  test.each<[string, () => DealWrite[]]>([
    [
      'a partner that does not exist',
      () => [
        { record: { id: makeId() }, partnerId },
        { record: { id: makeId() }, partnerId: 2_000_000_000 },
      ],
    ],
    [
      'a repeated id',
      () => [
        { record: { id: lastId + 1n }, partnerId },
        { record: { id: makeId(), stage: 'x' }, partnerId: otherId },
      ],
    ],
    [
      'an id outside int64',
      () => [
        { record: { id: makeId() }, partnerId },
        { record: { id: 2n ** 63n }, partnerId },
      ],
    ],
  ])('writes nothing: %s', async (_what, writes) => {
    const id = makeId()
    await write({ id, stage: 'a' }, partnerId)
    const before = await everything()
    await expect(
      writeDeals(database.db, [...writes(), { record: { id, stage: 'b' }, partnerId: otherId }], options),
    ).rejects.toThrow()
    expect(await everything()).toBe(before)
    // After a failed batch, the next batch runs as if the failed one had never happened.
    expect(await write({ id, stage: 'b' })).toEqual(['updated'])
    expect((await eventsOf(partnerId)).map(({ sequence }) => sequence)).toEqual(['1', '2'])
  })
})

describe('writes that were prepared before other writes', () => {
  const prepare = (record: DealRecord, owner?: number) =>
    prepareWrites(database.db, [{ record, partnerId: owner }], {})

  test('are retried: a deal created in the meantime is updated and keeps its values', async () => {
    const id = makeId()
    const prepared = await prepare({ id, stage: 'a' }, partnerId)
    await write({ id, notes: 'b' }, partnerId)
    expect(await writePrepared(database.db, prepared, options)).toEqual(['updated'])
    expect((await storedDeal(id))!.json).toBe(renderDeal({ id, stage: 'a', notes: 'b' }))
    expect((await eventsOf(partnerId)).map(({ type }) => type)).toEqual(['deal.created', 'deal.updated'])
  })

  test('are decided again: a deal removed in the meantime is created', async () => {
    const id = makeId()
    await write({ id, stage: 'a', notes: 'b' }, partnerId)
    const prepared = await prepare({ id, stage: 'b' }, partnerId)
    await deleteDeal(database.db, id)
    expect(await writePrepared(database.db, prepared, options)).toEqual(['created'])
    expect((await storedDeal(id))!.json).toBe(renderDeal({ id, stage: 'b' }))
  })
})

test('stores any text, and finds and sorts by it', async () => {
  const texts = ['', '\\N', 'a\tb', 'a\nb\r\n', '"\\"', '{a,"b"}', '\u2028\ud83d\ude00\u0001', 'null', "it's"]
  for (const text of texts) {
    const id = makeId()
    await write({ id, stage: text, city: text, dealname: `${text} `, amount: -0.5 }, partnerId)
    const [stored] = await database.db.$client`
      select stage, city, name_key as "nameKey", amount, json from deals where id = ${String(id)}`
    expect(stored).toMatchObject({ stage: text, city: text, amount: -0.5, nameKey: fold(`${text} `) })
    expect((parseJson(stored!['json'] as string) as { stage: string }).stage).toBe(text)
  }
})

describe('removing a deal', () => {
  test('deletes the deal, its positions and its file records with an event, and no other deal', async () => {
    const [id, neighbour] = [makeId(), makeId()]
    for (const dealId of [id, neighbour]) await write({ id: dealId }, partnerId)
    const { $client: sql } = database.db
    for (const dealId of [id, neighbour])
      await sql`insert into files (id, deal_id, name, type, size_bytes) values (${`f${dealId}`}, ${String(dealId)}, 'a', 'b', 1)`
    expect(await deleteDeal(database.db, id)).toBeDefined()
    const types = (await eventsOf(partnerId)).map(({ type }) => type)
    expect(types).toEqual(['deal.created', 'deal.created', 'deal.removed'])
    expect(await storedDeal(id)).toBeUndefined()
    expect(await sql`select from deal_places where deal_id = ${String(id)}`).toHaveLength(0)
    expect(await sql`select from files where deal_id = ${String(id)}`).toHaveLength(0)
    expect(await storedDeal(neighbour)).toBeDefined()
    expect(await sql`select from files where deal_id = ${String(neighbour)}`).toHaveLength(1)
  })

  test('changes nothing if the deal does not exist', async () => {
    await write({ id: makeId() }, partnerId)
    const before = await everything()
    expect(await deleteDeal(database.db, 2n ** 62n)).toBeUndefined()
    expect(await everything()).toBe(before)
  })
})
