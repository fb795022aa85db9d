import { expect, test, describe } from 'vitest'
import { useDatabase } from '#e2e/use-database.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { int64Max, int64Min } from '../values/int64.ts'
import { writeDeals } from './deal-writer.ts'
import type { DealRecord } from './deal.ts'
import { readEvents } from './event-store.ts'
import { readPage } from './list-store.ts'
import { deleteDeal } from './removal-store.ts'
import { renderDeal } from './render.ts'
import { readPhones, setPhone, readDeal, readModified, readRevision } from './store.ts'

const database = useDatabase()

const makePartner = async () =>
  (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id as PartnerId
let lastId = 0n
const write = (record: DealRecord, partnerId: number | null | undefined, events = true) =>
  writeDeals(database.db, [{ record, partnerId }], { now: new Date('2026-03-01T17:20:05Z'), events })

describe('a page of deals', () => {
  test('has no deals of other partners; internal callers also see unassigned deals', async () => {
    const [mine, other] = [await makePartner(), await makePartner()]
    const ids = [++lastId, ++lastId, ++lastId]
    await write({ id: ids[0]! }, mine)
    await write({ id: ids[1]! }, other)
    await write({ id: ids[2]! }, null)
    expect(await readPage(database.db, mine, 1, 25)).toMatchObject({
      count: 1,
      dealsJson: renderDeal({ id: ids[0]! }),
    })
    expect(await readPage(database.db, other, 1, 25)).toMatchObject({
      count: 1,
      dealsJson: renderDeal({ id: ids[1]! }),
    })
    const { count } = await readPage(database.db, everyone, 1, 25)
    expect((await readPage(database.db, everyone, 1, count)).dealsJson).toMatch(
      ids.map((id) => renderDeal({ id })).join(','),
    )
  })
})

describe('a single deal', () => {
  test('of another partner or unassigned is not found; internal callers find every deal', async () => {
    const [mine, other] = [await makePartner(), await makePartner()]
    const [id, unowned] = [++lastId, ++lastId]
    await write({ id }, mine)
    await write({ id: unowned }, null)
    expect(await readDeal(database.db, mine, id)).toBeDefined()
    expect(await readDeal(database.db, everyone, id)).toBeDefined()
    expect(await readDeal(database.db, everyone, unowned)).toBeDefined()
    expect(await readDeal(database.db, other, id)).toBeUndefined()
    expect(await readDeal(database.db, mine, unowned)).toBeUndefined()
    await write({ id }, other)
    expect(await readDeal(database.db, mine, id)).toBeUndefined()
    expect(await readDeal(database.db, other, id)).toBeDefined()
  })
})

describe('the revision of a list', () => {
  test('is 0 while the list has never had a deal, and increases with every change to the list and nothing else', async () => {
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
      () => deleteDeal(database.db, id),
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
    await deleteDeal(database.db, id)
    expect(await readRevision(database.db, partnerId)).toBe(before)
  })

  test("is unaffected by other partners' changes, unlike the revision of all deals", async () => {
    const [partnerId, otherId] = [await makePartner(), await makePartner()]
    await write({ id: ++lastId }, otherId)
    const before = await readRevision(database.db, otherId)
    const beforeOfAll = await readRevision(database.db, everyone)
    await write({ id: ++lastId }, partnerId)
    expect(await readRevision(database.db, otherId)).toBe(before)
    expect(await readRevision(database.db, everyone)).toBeGreaterThan(beforeOfAll)
  })
})

describe('the events of a partner', () => {
  test("are those after the given sequence, in order and up to the limit, and only the partner's own", async () => {
    const [partnerId, otherId] = [await makePartner(), await makePartner()]
    const id = ++lastId
    await write({ id: ++lastId }, otherId)
    for (const stage of ['a', 'b', 'c', 'd']) await write({ id, stage }, partnerId)
    const sequences = async (after: number, limit: number) => {
      const { bodies, last, isComplete } = await readEvents(database.db, partnerId, after, limit)
      expect([last, isComplete]).toEqual([4, true])
      return bodies.map((body) => (JSON.parse(body) as { sequence: number }).sequence)
    }
    expect(await sequences(0, 100)).toEqual([1, 2, 3, 4])
    expect(await sequences(1, 2)).toEqual([2, 3])
    expect(await sequences(4, 100)).toEqual([])
    expect(await sequences(Number.MAX_SAFE_INTEGER, 100)).toEqual([])
  })

  test('are fewer per page if they are long, but at least one, and none is missed', async () => {
    const partnerId = await makePartner()
    const id = ++lastId
    for (const letter of ['a', 'b', 'c', 'd', 'e'])
      await write({ id, notes: letter.repeat(20_000) }, partnerId)
    const pages: number[][] = []
    for (let after = 0; after < 5; after = pages.at(-1)!.at(-1)!) {
      const { bodies, last, isComplete } = await readEvents(database.db, partnerId, after, 25, {
        maxBytes: 50_000,
      })
      expect([last, isComplete]).toEqual([5, true])
      pages.push(bodies.map((body) => (JSON.parse(body) as { sequence: number }).sequence))
    }
    expect(pages).toEqual([[1, 2], [3], [4], [5]])
  })
})

describe("the versions of a partner's deals", () => {
  const t = (second: number) => `2026-03-01T17:20:0${second}.000Z`

  test("are ascending by id, with the last modification and newest sequence, and only the partner's own", async () => {
    const [partnerId, otherId] = [await makePartner(), await makePartner()]
    expect(await readModified(database.db, partnerId, null, null, 10)).toEqual({ deals: [], last: 0 })
    const ids = [++lastId, ++lastId, ++lastId, ++lastId]
    await write(
      { id: ids[2]!, lastModified: t(3), notes: '"lastModified":"x" {"lastModified":null} ’ \\"' },
      partnerId,
    )
    await write({ id: ids[0]!, lastModified: t(1) }, partnerId)
    await write({ id: ids[1]!, lastModified: t(2) }, otherId)
    await write({ id: ids[3]! }, partnerId)
    const deals = [
      { id: ids[0], lastModified: t(1) },
      { id: ids[2], lastModified: t(3) },
      { id: ids[3], lastModified: null },
    ]
    expect(await readModified(database.db, partnerId, null, null, 10)).toEqual({ deals, last: 3 })
    await write({ id: ids[2]! }, otherId)
    await write({ id: ids[0]!, lastModified: t(4) }, undefined)
    expect(await readModified(database.db, partnerId, null, null, 10)).toEqual({
      deals: [{ id: ids[0], lastModified: t(4) }, deals[2]],
      last: 4,
    })
  })

  test('are limited to a range of ids, for ids of any size', async () => {
    const partnerId = await makePartner()
    const ids = [int64Min, -1n, 9_007_199_254_740_992n, 9_007_199_254_740_993n, int64Max]
    for (const id of ids) await write({ id }, partnerId)
    const read = async (after: bigint | null, upTo: bigint | null, limit = 10) =>
      (await readModified(database.db, partnerId, after, upTo, limit)).deals.map(({ id }) => id)
    expect(await read(null, null)).toEqual(ids)
    expect(await read(int64Min, int64Max)).toEqual(ids.slice(1))
    expect(await read(int64Min, null, 2)).toEqual(ids.slice(1, 3))
    expect(await read(null, 9_007_199_254_740_992n)).toEqual(ids.slice(0, 3))
    expect(await read(9_007_199_254_740_992n, 9_007_199_254_740_993n)).toEqual([ids[3]])
    expect(await read(int64Max, null)).toEqual([])
    expect(await read(5n, 5n)).toEqual([])
    for (const id of ids) await deleteDeal(database.db, id)
    expect(await read(null, null)).toEqual([])
  })

  test('are consistent with the returned sequence while deals keep arriving', async () => {
    const partnerId = await makePartner()
    let isWriting = true
    const writing = (async () => {
      for (let count = 0; count < 150; count++) await write({ id: ++lastId }, partnerId)
      isWriting = false
    })()
    const seen = new Set<number>()
    while (isWriting) {
      const { deals, last } = await readModified(database.db, partnerId, null, null, 1000)
      expect(deals).toHaveLength(last)
      seen.add(last)
    }
    await writing
    expect(seen.size).toBeGreaterThan(3)
  })
})

test('a read without a proven tenant scope does not compile', () => {
  const uncalled = [
    // @ts-expect-error Only actor.ts creates a tenant scope.
    () => readPage(database.db, 5, 1, 10),
    // @ts-expect-error Events belong to one partner.
    () => readEvents(database.db, everyone as TenantScope, 0, 10),
    // @ts-expect-error A copy is compared for one partner.
    () => readModified(database.db, everyone as TenantScope, null, null, 10),
  ]
  expect(uncalled).toHaveLength(3)
})

test("returns the phone numbers of a deal's staff only to the deal's partner", async () => {
  const { db } = database
  const [one, other] = [await makePartner(), await makePartner()]
  const id = ++lastId
  const maria = { id: 7n, email: 'Maria@Bright.example', firstName: 'Maria', lastName: 'Alvarez' }
  const record = { id, projectManager: maria, owner: { ...maria, id: 8n, email: 'ben@bright.example' } }
  await write(record as never, one)
  expect(await readPhones(db, one, id)).toEqual({})
  await db.transaction(async (tx) => {
    await setPhone(tx, 'maria@bright.example', '602 555 0100')
    await setPhone(tx, 'maria@bright.example', '602 555 0147')
    await setPhone(tx, 'elsewhere@bright.example', '602 555 0111')
  })
  expect(await readPhones(db, one, id)).toEqual({ 'maria@bright.example': '602 555 0147' })
  expect(await readPhones(db, other, id)).toBeUndefined()
  await db.transaction((tx) => setPhone(tx, 'maria@bright.example', null))
  expect(await readPhones(db, one, id)).toEqual({})
})
