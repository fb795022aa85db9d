import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from './deal-writer.ts'
import { readDealNames } from './name-store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('returns deal names to their partner and the installer only', async () => {
  const { db } = database
  const [one, other] = await Promise.all(
    ['one', 'other'].map(async (slug) => (await insertPartner(db, slug, slug))!.id as PartnerId),
  )
  const records = [
    { record: { id: 1n, dealname: 'Lopez, "Ana" – 7 kW', firstName: 'Ana' }, partnerId: one! },
    { record: { id: 9_223_372_036_854_775_807n, lastName: 'Vale' }, partnerId: other! },
  ]
  await writeDeals(db, records, { now: new Date(), events: false })
  const ids = [1n, 9_223_372_036_854_775_807n, 3n]
  const ana = { dealname: 'Lopez, "Ana" – 7 kW', firstName: 'Ana', lastName: null }
  const vale = { dealname: null, firstName: null, lastName: 'Vale' }
  expect(await readDealNames(db, one!, ids)).toEqual(new Map([[1n, ana]]))
  expect(await readDealNames(db, other!, ids)).toEqual(new Map([[ids[1], vale]]))
  expect((await readDealNames(db, everyone, ids)).size).toBe(2)
  expect(await readDealNames(db, one!, [])).toEqual(new Map())
})
