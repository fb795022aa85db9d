import { expect, test } from 'vitest'
import { type Database, type Rest, openDatabase } from '#db/client.ts'
import { createTestDatabase } from '#db/test-database.ts'
import { endOthers } from '#db/test-reads.ts'
import { makeReceivingPartner } from '#e2e/delivery-queue.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { readEvents } from '../deals/event-store.ts'
import { removeOldEvents } from '../deals/removal-store.ts'
import { removeOldAttempts, removeOldDeliveries } from './retention-store.ts'

// Measures the database pages that each batch of a removal touches.

const batchSize = 1000
const removals = {
  attempts: (db: Database, _partnerId: PartnerId, rest: Rest) => removeOldAttempts(db, 30, rest),
  deliveries: (db: Database, partnerId: PartnerId, rest: Rest) =>
    removeOldDeliveries(db, partnerId, 90, rest),
  events: (db: Database, partnerId: PartnerId, rest: Rest) => removeOldEvents(db, partnerId, 90, rest),
}

/**
 * Creates a partner with this many old events, deliveries, and attempts, and this many that are a week old.
 */
async function fill({ $client: sql }: Database, partnerId: PartnerId, old: number, young: number) {
  // Autovacuum would be counted, and would clean up.
  for (const table of ['events', 'deliveries', 'attempts'])
    await sql.unsafe(`alter table ${table} set (autovacuum_enabled = false)`)
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into events (partner_id, sequence, type, deal_id, created_at, body)
      select ${partnerId}, n, 'deal.updated', n % 500,
        now() - interval '1 second' * (${old + young}::integer - n) - interval '1 day' * case when n <= ${old} then 100 else 7 end, '{}'
      from generate_series(1, ${old + young}::integer) n`
    await tx`
      insert into deliveries (partner_id, kind, sequence, deal_id, state, attempt_count, step, created_at, finished_at)
      select partner_id, 'update', sequence, deal_id, 'delivered', 1, 1, created_at, created_at from events order by sequence`
    await tx`
      insert into attempts (delivery_id, number, started_at, duration_ms, url, signature, status, response_headers, response_body)
      select id, 1, created_at, 5, 'https://a.example/', 'v1,x', 200, '', 'ok' from deliveries order by id`
  })
}

/**
 * Removes this many batches of old rows of each kind, next to this many recent rows. Returns the number of
 * pages touched by each batch, the last of which removes a single row, and by reading a later page of events.
 */
async function measure(batches: number, young: number, known: 'nothing' | 'all') {
  const database = await createTestDatabase()
  const db = openDatabase(database.url, 1)
  const partnerId = await makeReceivingPartner(database.db)
  await fill(database.db, partnerId, batches * batchSize + 1, young)
  if (known === 'all') await database.db.$client`analyze`
  await endOthers(db)
  const touched = async () => {
    await db.$client`select pg_stat_force_next_flush()`
    const [row] = await db.$client<[{ pages: number }]>`
      select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0))::float8 as pages from pg_statio_user_tables`
    return row.pages
  }
  const pages: Record<string, number[]> = {}
  for (const [what, remove] of Object.entries(removals)) {
    const [counts, stops]: [number[], number[]] = [[], [await touched()]]
    const rest = async () => (stops.push(await touched()), true)
    counts.push(await remove(db, partnerId, rest))
    expect(counts, what).toEqual([batches * batchSize + 1])
    await rest()
    pages[what] = stops.slice(1).map((stop, index) => stop - stops[index]!)
    expect(pages[what]).toHaveLength(batches + 1)
  }
  const before = await touched()
  expect((await readEvents(db, partnerId, batches * batchSize + 1, 25)).bodies).toHaveLength(25)
  const eventPage = (await touched()) - before
  await db.$client.end()
  await database.drop()
  return { pages, eventPage }
}

test.each(['nothing', 'all'] as const)(
  'when the planner knows %s, a batch and a page of events touch as many pages, however much was kept or removed',
  async (known) => {
    const [small, large] = [await measure(1, 1000, known), await measure(12, 40_000, known)]
    expect(large.eventPage).toBeLessThan(small.eventPage + 10)
    const much = large.pages
    for (const [what, [first, single]] of Object.entries(small.pages)) {
      // Allows for an index that is one level deeper, and for reaching the end of an index page.
      for (const pages of much[what]!.slice(0, -1)) expect(pages, what).toBeLessThan(1.3 * first! + 50)
      expect(much[what]!.at(-1), what).toBeLessThan(single! + 20)
      // Allows for some rows of each kind, in up to five indexes.
      expect(first! / batchSize, what).toBeLessThan(25)
    }
  },
  60_000,
)
