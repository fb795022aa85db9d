import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { insertPartner } from '../../accounts/store.ts'
import { writeDeals } from '../deal-writer.ts'
import { readPhones, setPhone } from './store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test("returns the phone numbers of a deal's staff only to the deal's partner", async () => {
  const { db } = database
  const [one, other] = await Promise.all(
    ['one', 'other'].map(async (slug) => (await insertPartner(db, slug, slug))!.id as PartnerId),
  )
  const maria = { id: 7n, email: 'Maria@Bright.example', firstName: 'Maria', lastName: 'Alvarez' }
  const record = { id: 1n, projectManager: maria, owner: { ...maria, id: 8n, email: 'ben@bright.example' } }
  await writeDeals(db, [{ record: record as never, partnerId: one! }], { now: new Date(), events: false })
  expect(await readPhones(db, one!, 1n)).toEqual({})
  await db.transaction(async (tx) => {
    await setPhone(tx, 'maria@bright.example', '602 555 0100')
    await setPhone(tx, 'maria@bright.example', '602 555 0147')
    await setPhone(tx, 'elsewhere@bright.example', '602 555 0111')
  })
  expect(await readPhones(db, one!, 1n)).toEqual({ 'maria@bright.example': '602 555 0147' })
  expect(await readPhones(db, other!, 1n)).toBeUndefined()
  await db.transaction((tx) => setPhone(tx, 'maria@bright.example', null))
  expect(await readPhones(db, one!, 1n)).toEqual({})
})
