import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { insertPartner, findPartner, listPartners } from './store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('a partner is found only by its exact slug', async () => {
  const made = await insertPartner(database.db, 'sunline', 'Sunline Home Energy')
  expect(made).toMatchObject({ slug: 'sunline', name: 'Sunline Home Energy' })
  expect(await findPartner(database.db, 'sunline')).toEqual(made)
  for (const slug of ['Sunline', 'sunline ', '', 'sun%', "' or true --"])
    expect(await findPartner(database.db, slug)).toBeUndefined()
})

test('a slug can be used only once, even by concurrent creations', async () => {
  const made = await Promise.all(
    Array.from({ length: 10 }, (_, index) => insertPartner(database.db, 'taken', `Partner ${index}`)),
  )
  expect(made.filter((partner) => partner !== undefined)).toHaveLength(1)
  expect(await insertPartner(database.db, 'taken', 'Another')).toBeUndefined()
})

test('lists all partners by slug', async () => {
  for (const slug of ['zeta', 'alpha']) await insertPartner(database.db, slug, slug)
  const slugs = (await listPartners(database.db)).map(({ slug }) => slug)
  expect(slugs).toEqual(slugs.toSorted())
  expect(slugs).toEqual(expect.arrayContaining(['alpha', 'zeta']))
})
