import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('updated list rows stay on their disk page and add no index entries', async () => {
  const { $client: sql } = database.db
  await sql`insert into deal_lists (id) select generate_series(1, 500)`
  await sql`vacuum deal_lists`
  for (let batch = 0; batch < 3; batch++) await sql`update deal_lists set revision = revision + 1`
  await sql`select pg_stat_force_next_flush()`
  const [stats] = await sql<[{ updates: number; hot: number; pages: number }]>`
    select n_tup_upd::integer as updates, n_tup_hot_upd::integer as hot,
      (pg_relation_size(relid) / 8192)::integer as pages
    from pg_stat_user_tables where relname = 'deal_lists'`
  expect(stats.updates).toBeGreaterThanOrEqual(1500)
  expect(stats.hot).toBeGreaterThanOrEqual(stats.updates * 0.9)
  expect(stats.pages).toBeLessThan(30)
})
