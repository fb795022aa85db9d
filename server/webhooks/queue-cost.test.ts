import { expect, test } from 'vitest'
import { type Database, openDatabase } from '#db/client.ts'
import { createTestDatabase } from '#db/test-database.ts'
import { failure, makeReceivingPartner, outcomeOf } from '#e2e/delivery-queue.ts'
import {
  type Leased,
  findPending,
  leaseDue,
  queueSettings,
  recordAttempts,
  releaseLeases,
  renewLeases,
} from './queue-store.ts'

// Measures the database pages that the queue touches. The number must not depend on the length of the queue
// or on the planner's statistics.

/**
 * What the planner knows during a burst of events: nothing, plans made for a small queue, statistics of an
 * idle queue, or current statistics.
 */
const knowledge = ['nothing', 'a quiet start', 'that nothing waits', 'all'] as const

type Pages = Record<string, number>

/**
 * Creates a queue with this many deals. Each deal has 8 finished deliveries, 2 that are due later, and 2 new
 * ones. Returns how many pages each statement then touches for 16 deliveries.
 */
async function measureBurst(deals: number, known: (typeof knowledge)[number]): Promise<Pages> {
  const own = await createTestDatabase()
  const worker = openDatabase(own.url, 1, queueSettings)
  const [importer, other] = [openDatabase(own.url, 1), openDatabase(own.url, 1)]
  const { $client: admin } = other
  const url = 'https://a.example/'
  const name = {
    partnerId: await makeReceivingPartner(own.db, { create: url, update: url }),
    kind: 'update' as const,
  }
  let last = 0
  const addEvents = async ({ $client: sql }: Database, count: number) => {
    await sql`
      insert into events (partner_id, sequence, type, deal_id, created_at, body)
      select ${name.partnerId}, n, 'deal.updated', n % ${deals}::integer, now(), '{}' from generate_series(${last + 1}::integer, ${last + count}::integer) n`
    last += count
  }
  const addFinished = (count: number) =>
    admin.begin(async (sql) => {
      await sql`set local session_replication_role = replica`
      await addEvents({ $client: sql } as unknown as Database, count)
      await sql`
      insert into deliveries (partner_id, kind, sequence, deal_id, state, attempt_count, step, finished_at)
      select partner_id, 'update', sequence, deal_id, 'delivered', 1, 1, now() from events where sequence > ${last - count}`
    })
  /** Adds retries for other deals that are due later. */
  const addLater = (count: number) => admin`
    insert into deliveries (partner_id, kind, sequence, deal_id, due_at, step, attempt_count)
    select ${name.partnerId}, 'update', 1000000 + n, 1000000 + n, now() + interval '1 hour' + n * interval '1 second', 3, 1
    from generate_series(1, ${count}::integer) n`

  /** Does the work of an import and of a worker for 16 deliveries. */
  async function round(): Promise<Pages> {
    const pages: Pages = {}
    async function counted<T>(what: string, work: () => Promise<T>): Promise<T> {
      const before = await pagesTouched(worker, importer, other)
      const result = await work()
      pages[what] = (await pagesTouched(worker, importer, other)) - before
      return result
    }
    const lease = () => leaseDue(worker, name, 16, [1, 2], 60_000)
    const record = (leased: Leased[], result = {}) =>
      recordAttempts(
        worker,
        leased.map((delivery) => outcomeOf(delivery, result)),
        1e12,
      )
    await counted('enqueue', () => addEvents(importer, 16))
    await counted('withdraw', () =>
      importer.$client
        .begin(async (sql) => {
          await sql`insert into deals (id, partner_id, json) select 1000000 + n, ${name.partnerId}, '{}' from generate_series(1, 16) n`
          await sql`insert into deal_places (list_id, position, deal_id) select ${name.partnerId}, n, 1000000 + n from generate_series(1, 16) n`
          await sql`delete from deal_places where list_id = ${name.partnerId}`
          throw undone
        })
        .catch((error: unknown) => expect(error).toBe(undone)),
    )
    const delivered = await counted('lease', lease)
    await counted('renew', () => renewLeases(worker, delivered, 60_000))
    await counted('record successes', () => record(delivered))
    const failed = await lease()
    await counted('record failures', () => record(failed, failure(60_000)))
    const unsent = await lease()
    await counted('release', () => releaseLeases(worker, unsent))
    await counted('look', () => findPending(worker, 1500))
    return pages
  }

  // Autovacuum would be counted, and would analyze the new rows.
  for (const table of ['events', 'deliveries', 'attempts', 'endpoints'])
    await admin.unsafe(`alter table ${table} set (autovacuum_enabled = false)`)
  await addFinished(20)
  if (known === 'a quiet start') await admin.unsafe('vacuum analyze')
  // PostgreSQL caches the plan starting with the sixth run.
  for (let time = 0; time < 7; time++) await round()
  await addFinished(8 * deals)
  if (known === 'that nothing waits') {
    await admin`update deliveries set state = 'delivered', due_at = null where state = 'waiting'`
    await admin.unsafe('vacuum analyze')
  }
  await addLater(2 * deals)
  await addEvents(other, 2 * deals)
  if (known === 'all') await admin.unsafe('vacuum analyze')
  const rounds: Pages[] = []
  // Takes the minimum of several runs, because some runs also clean up dead rows or encounter rows that
  // cannot be removed yet.
  while (rounds.length < 5) rounds.push(await round())
  for (const { $client } of [worker, importer, other]) await $client.end()
  await own.drop()
  return Object.fromEntries(
    Object.keys(rounds[0]!).map((what) => [what, Math.min(...rounds.map((pages) => pages[what]!))]),
  )
}

const undone = new Error('undone')

/** Returns how many pages of tables and indexes these connections have touched so far. */
async function pagesTouched(...all: Database[]): Promise<number> {
  for (const { $client: sql } of all) await sql`select pg_stat_force_next_flush()`
  const [row] = await all[0]!.$client<[{ pages: number }]>`
    select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0))::float8 as pages from pg_statio_user_tables`
  return row.pages
}

test.each(knowledge)(
  'when the planner knows %s of a burst, statements cost as much as for a twentieth of the deliveries',
  async (known) => {
    const [expected, touched] = [await measureBurst(250, known), await measureBurst(5000, known)]
    // Allows for an index that is one level deeper, and for changed rows that move because their page is
    // full, which touches two pages in each index.
    const moves = 16 * 8 * 2
    for (const [what, pages] of Object.entries(touched)) {
      // Without statistics, the planner scans the table when withdrawing deliveries.
      if (what === 'withdraw' && (known === 'nothing' || known === 'a quiet start')) continue
      expect(pages, what).toBeLessThan(1.2 * expected[what]! + 20 + moves)
      // Allows for a few rows per delivery, in up to seven indexes.
      expect(pages, what).toBeLessThan(16 * 60)
    }
  },
  60_000,
)
