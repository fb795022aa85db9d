import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { pagesTouchedBy } from '#db/test-reads.ts'
import { actorOfSession } from '../access/actor.ts'
import type { Services } from '../runtime/services.ts'
import { utc } from '../values/zone.ts'
import { partnerSorts } from './policy.ts'
import { partnersRouter } from './router.ts'

// The cost of the Partners page with a thousand partners and a long list of deals, in database pages.

const partnerCount = 1000
const dealCount = 25_000
let database: TestDatabase
let watched: TestDatabase['db']

beforeAll(async () => {
  database = await createTestDatabase()
  const { $client: sql } = database.db
  await sql`insert into partners (slug, name) select 'p-' || n, 'Partner' from generate_series(1, ${partnerCount}) n`
  await sql`
    insert into deals (id, partner_id, json, stage, amount, flags)
    select n, (select min(id) from partners) + n % ${partnerCount}, '{}', 'Design', 100, 0
    from generate_series(1, ${dealCount}) n`
  await sql`
    insert into deal_lists (id, deal_count) values (0, ${dealCount})
    on conflict (id) do update set deal_count = excluded.deal_count`
  watched = openDatabase(database.url, 1)
}, 60_000)
afterAll(async () => {
  await watched.$client.end()
  await database.drop()
})

test('only the first listing scans deals, in any sort order', async () => {
  const user = { id: 1, email: 'o@example.com', name: 'O', role: 'operator' as const, partnerId: null }
  const caller = partnersRouter.createCaller({
    services: { db: watched } as unknown as Services,
    actor: actorOfSession({ user, hash: '', zone: utc } as unknown as Parameters<typeof actorOfSession>[0]),
    ifNoneMatch: () => false,
  })
  const pagesOf = (work: () => Promise<unknown>) => pagesTouchedBy(watched, 'deals', work)
  expect(await pagesOf(() => caller.list({ search: '' }))).toBeGreaterThan(100)
  for (const field of partnerSorts) {
    const sort = { field, direction: 'desc' } as const
    const pages = await pagesOf(async () => {
      const { partners } = await caller.list({ search: '', sort })
      expect(partners).toHaveLength(50)
      expect(partners[0]).toMatchObject({ open: dealCount / partnerCount, amount: 2500, late: 0 })
    })
    expect(pages, field).toBeLessThan(20)
  }
})
