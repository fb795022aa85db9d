import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import type { AllPartners, PartnerId, Reach } from '../accounts/partner.ts'
import { createPartner } from '../accounts/store.ts'
import { int64Max, int64Min } from '../int64.ts'
import { removeDeal, writeDeals } from './deal-writer.ts'
import type { DealRecord } from './deal.ts'
import { renderDeal } from './render.ts'
import { readDeal, readEvents, readPage, readRevision } from './store.ts'

let database: TestDatabase
beforeAll(async () => { database = await createTestDatabase() })
afterAll(() => database.drop())

const everybody = 0 as AllPartners
const makePartner = async () => (await createPartner(database.db, crypto.randomUUID(), 'A partner'))!.id as PartnerId
let lastId = 0n
const write = (record: DealRecord, partnerId: number | null | undefined, events = true) =>
  writeDeals(database.db, [{ record, partnerId }], { now: new Date('2026-03-01T17:20:05Z'), events })

describe('a page', () => {
  test('holds the deals byte for byte as they were rendered, and how many the list has', async () => {
    const partnerId = await makePartner()
    const records: DealRecord[] = [{ id: ++lastId, notes: 'a "quoted", {braced} note' }, { id: ++lastId, amount: 1e21, hasHoa: true }]
    for (const record of records) await write(record, partnerId)
    expect(await readPage(database.db, partnerId, 1, 25)).toEqual({ count: 2, dealsJson: records.map(renderDeal).join(',') })
    expect(await readPage(database.db, partnerId, 2, 1)).toEqual({ count: 2, dealsJson: renderDeal(records[1]!) })
  })

  test('past the end is empty and counts all the same, as far as numbers go', async () => {
    const partnerId = await makePartner()
    await write({ id: ++lastId }, partnerId)
    for (const page of [2, 1000, 2_147_483_647]) expect(await readPage(database.db, partnerId, page, 25)).toEqual({ count: 1, dealsJson: '' })
  })

  test('has nothing of another partner, and for the own staff what no partner sees either', async () => {
    const [mine, other] = [await makePartner(), await makePartner()]
    const ids = [++lastId, ++lastId, ++lastId]
    await write({ id: ids[0]! }, mine)
    await write({ id: ids[1]! }, other)
    await write({ id: ids[2]! }, null)
    expect(await readPage(database.db, mine, 1, 25)).toEqual({ count: 1, dealsJson: renderDeal({ id: ids[0]! }) })
    expect(await readPage(database.db, other, 1, 25)).toEqual({ count: 1, dealsJson: renderDeal({ id: ids[1]! }) })
    const { count } = await readPage(database.db, everybody, 1, 25)
    expect((await readPage(database.db, everybody, 1, count)).dealsJson).toMatch(ids.map((id) => renderDeal({ id })).join(','))
  })
})

describe('one deal', () => {
  test('is read byte for byte, ids of every size', async () => {
    const partnerId = await makePartner()
    for (const id of [int64Max, int64Min, 9_007_199_254_740_993n]) {
      await write({ id, stage: 'x' }, partnerId)
      expect(await readDeal(database.db, partnerId, id)).toBe(renderDeal({ id, stage: 'x' }))
      await removeDeal(database.db, id)
      expect(await readDeal(database.db, partnerId, id)).toBeUndefined()
    }
  })

  test('of another partner, or of none, is not there; the own staff reads all', async () => {
    const [mine, other] = [await makePartner(), await makePartner()]
    const [id, unowned] = [++lastId, ++lastId]
    await write({ id }, mine)
    await write({ id: unowned }, null)
    expect(await readDeal(database.db, mine, id)).toBeDefined()
    expect(await readDeal(database.db, everybody, id)).toBeDefined()
    expect(await readDeal(database.db, everybody, unowned)).toBeDefined()
    expect(await readDeal(database.db, other, id)).toBeUndefined()
    expect(await readDeal(database.db, mine, unowned)).toBeUndefined()
    await write({ id }, other)
    expect(await readDeal(database.db, mine, id)).toBeUndefined()
    expect(await readDeal(database.db, other, id)).toBeDefined()
  })
})

describe('the revision of a list', () => {
  test('is 0 while nothing was ever in it, and goes up whenever it shows something else', async () => {
    const [partnerId, otherId] = [await makePartner(), await makePartner()]
    const id = ++lastId
    const changes: (() => Promise<unknown>)[] = [
      () => write({ id }, partnerId),
      () => write({ id, stage: 'a' }, undefined),
      () => write({ id, lastModified: '2026-03-01T17:20:05.000Z' }, undefined),
      () => write({ id, stage: 'b' }, undefined, false),
      () => write({ id }, otherId),
      () => write({ id }, partnerId),
      () => write({ id }, null),
      () => write({ id }, partnerId),
      () => removeDeal(database.db, id),
    ]
    let before = await readRevision(database.db, partnerId)
    expect(before).toBe(0)
    for (const [index, change] of changes.entries()) {
      await change()
      const after = await readRevision(database.db, partnerId)
      expect(after, `change ${index}`).toBeGreaterThan(before)
      expect(Number.isSafeInteger(after)).toBe(true)
      before = after
    }
  })

  test('of another partner stays, that of all goes up with each', async () => {
    const [partnerId, otherId] = [await makePartner(), await makePartner()]
    await write({ id: ++lastId }, otherId)
    const before = await readRevision(database.db, otherId)
    const beforeOfAll = await readRevision(database.db, everybody)
    await write({ id: ++lastId }, partnerId)
    expect(await readRevision(database.db, otherId)).toBe(before)
    expect(await readRevision(database.db, everybody)).toBeGreaterThan(beforeOfAll)
  })

  test('stays when nothing changes', async () => {
    const partnerId = await makePartner()
    const id = ++lastId
    await write({ id, stage: 'a' }, partnerId)
    const before = await Promise.all([readRevision(database.db, partnerId), readRevision(database.db, everybody)])
    await write({ id, stage: 'a' }, partnerId)
    await removeDeal(database.db, 2n ** 62n)
    expect(await Promise.all([readRevision(database.db, partnerId), readRevision(database.db, everybody)])).toEqual(before)
  })
})

describe('the events of a partner', () => {
  test('come after the given sequence, in order, so many at most, and nothing of another partner', async () => {
    const [partnerId, otherId] = [await makePartner(), await makePartner()]
    const id = ++lastId
    await write({ id: ++lastId }, otherId)
    for (const stage of ['a', 'b', 'c', 'd']) await write({ id, stage }, partnerId)
    const sequences = async (after: number, limit: number) => {
      const { bodies, last, oldest } = await readEvents(database.db, partnerId, after, limit)
      expect([last, oldest]).toEqual([4, 1])
      return bodies.map((body) => (JSON.parse(body) as { sequence: number }).sequence)
    }
    expect(await sequences(0, 100)).toEqual([1, 2, 3, 4])
    expect(await sequences(1, 2)).toEqual([2, 3])
    expect(await sequences(4, 100)).toEqual([])
    expect(await sequences(Number.MAX_SAFE_INTEGER, 100)).toEqual([])
  })

  test('are none at first, and tell what is left when old ones are gone', async () => {
    const partnerId = await makePartner()
    expect(await readEvents(database.db, partnerId, 0, 25)).toEqual({ bodies: [], last: 0, oldest: 1 })
    const id = ++lastId
    for (const stage of ['a', 'b', 'c']) await write({ id, stage }, partnerId)
    await database.db.$client`delete from events where partner_id = ${partnerId} and sequence < 3`
    expect(await readEvents(database.db, partnerId, 2, 25)).toMatchObject({ last: 3, oldest: 3, bodies: [expect.stringContaining('"sequence":3,')] })
    await database.db.$client`delete from events where partner_id = ${partnerId}`
    expect(await readEvents(database.db, partnerId, 3, 25)).toEqual({ bodies: [], last: 3, oldest: 4 })
  })
})

test('readPage takes the reach of whoever asks and nothing else', () => {
  // @ts-expect-error A number is no reach: only actor.ts makes one.
  const notCalled = () => readPage(database.db, 5, 1, 10)
  // @ts-expect-error Nor do the events of nobody in particular exist.
  const norThis = () => readEvents(database.db, everybody as Reach, 0, 10)
  expect([notCalled, norThis]).toHaveLength(2)
})
