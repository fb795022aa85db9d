import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { writeRecords } from '#e2e/write-records.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { utc } from '../values/zone.ts'
import { findNeighbours } from './neighbour-store.ts'
import { findFirst } from './store.ts'
import type { DealFilter, DealSort } from './wire.ts'

let database: TestDatabase
let partnerId: PartnerId
let foreignId: bigint

beforeAll(async () => {
  database = await createTestDatabase()
  const [own, other] = await Promise.all(
    ['A', 'B'].map((name) => insertPartner(database.db, crypto.randomUUID(), name)),
  )
  partnerId = own!.id as PartnerId
  const records = [...demoDeals({ partner: demoPartners[0]!, count: 60, firstId: 1000n, now: new Date() })]
  const foreign = [...demoDeals({ partner: demoPartners[0]!, count: 60, firstId: 9000n, now: new Date() })]
  foreignId = foreign[0]!.id
  // Deals without known fields sort last, ordered by id.
  await writeRecords(database.db, own!.id, [...records, { id: -1n }, { id: -2n }, { id: -3n }])
  await writeRecords(database.db, other!.id, foreign)
})
afterAll(() => database.drop())

const find = (filter: DealFilter, sort: DealSort, id: bigint, tenant: TenantScope = partnerId) =>
  findNeighbours(database.db, { tenant, filter, zone: utc }, sort, id)

test.each<[string, DealFilter, DealSort]>([
  ['latest first', {}, { field: 'lastModified', direction: 'desc' }],
  ['oldest first', {}, { field: 'lastModified', direction: 'asc' }],
  ['by stage, which many deals share', {}, { field: 'stage', direction: 'asc' }],
  ['by an amount that some deals lack', { amount: { min: 1 } }, { field: 'amount', direction: 'desc' }],
  ['by a time that many deals lack', {}, { field: 'notesNextActivityDate', direction: 'asc' }],
  ['by city, which has no index', {}, { field: 'city', direction: 'desc' }],
  ['among search results', { search: 'phoenix' }, { field: 'dealname', direction: 'asc' }],
])('the neighbors are the deals before and after in the list: %s', async (_what, filter, sort) => {
  const list = (await findFirst(database.db, { tenant: partnerId, filter, zone: utc }, sort, 100)).map(
    ({ cursor }) => cursor.id,
  )
  for (const [index, id] of list.entries())
    expect(await find(filter, sort, id), `at ${index} of ${list.length}`).toEqual({
      previous: list[index - 1] ?? null,
      next: list[index + 1] ?? null,
    })
})

test('for a deal that no longer matches, the neighbors are those of its former position', async () => {
  const sort: DealSort = { field: 'lastModified', direction: 'desc' }
  const list = (await findFirst(database.db, { tenant: partnerId, filter: {}, zone: utc }, sort, 100)).map(
    ({ cursor }) => cursor.id,
  )
  const filter: DealFilter = { search: String(list[9]) }
  expect(await find(filter, sort, list[4]!)).toEqual({ previous: null, next: list[9] })
})

test("another tenant's deal has no neighbors", async () => {
  const sort: DealSort = { field: 'lastModified', direction: 'desc' }
  expect(await find({}, sort, foreignId)).toEqual({ previous: null, next: null })
  expect(await find({}, sort, foreignId, everyone)).not.toEqual({ previous: null, next: null })
})
