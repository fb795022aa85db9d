import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase, withOwnConnection } from '#db/client.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { failure, makeReceivingPartner, outcomeOf } from '#e2e/delivery-queue.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { removeOldEvents } from '../../deals/retention-store.ts'
import { removeOldAttempts, removeOldDeliveries } from '../retention-store.ts'
import {
  leaseDue,
  findPending,
  queueSettings,
  recordAttempts,
  releaseLeases,
  renewLeases,
} from './queue-store.ts'

// The cost of the queue in database pages: 100,000 finished deliveries, 20,000 due later, 100 due.

let database: TestDatabase
let watched: Database
let partnerId: PartnerId
let statements: { query: string; parameters: never[] }[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  const debug = (_connection: number, query: string, parameters: unknown[]) => {
    statements.push({ query, parameters: parameters as never[] })
  }
  watched = { $client: postgres(database.url, { max: 1, debug }) } as Database
  partnerId = await makeReceivingPartner(database.db, {
    create: 'https://a.example/',
    update: 'https://a.example/',
  })
  // The first query of a connection triggers others.
  await watched.$client`select 1`
  const { $client: sql } = database.db
  await sql.unsafe(`
    set statement_timeout = 0;
    alter table events disable trigger enqueue_deliveries;
    insert into events (partner_id, sequence, type, deal_id, created_at, body)
      select ${partnerId}, n, 'deal.updated', n % 5000, now(), '{"sequence":' || n || '}' from generate_series(1, 120100) n;
    insert into deliveries (partner_id, kind, sequence, deal_id, state, due_at, step, attempt_count, finished_at)
      select ${partnerId}, 'update', n, n % 5000, case when n <= 100000 then 'delivered' else 'waiting' end,
        case when n > 120000 then now() when n > 100000 then now() + interval '1 hour' + n * interval '1 second' end,
        case when n > 100000 then 3 else 1 end, 1, case when n <= 100000 then now() end
      from generate_series(1, 120000) n;
    insert into deliveries (partner_id, kind, sequence, deal_id, due_at)
      select ${partnerId}, 'update', n, 10000 + n, now() from generate_series(120001, 120100) n;
    insert into attempts (delivery_id, number, started_at, duration_ms, url, signature, status, response_headers, response_body)
      select id, 1, now(), 5, 'https://a.example/', 'v1,x', 200, '', 'ok' from deliveries where state = 'delivered' and sequence % 10 = 0;
    alter table events enable trigger enqueue_deliveries;
    set statement_timeout = 10000;`)
}, 60_000)
afterAll(async () => {
  await watched.$client.end()
  await database.drop()
})

interface PlanNode {
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
}

/**
 * Returns the number of database pages that the statements of `work` touch. Runs them once more for that, and
 * rolls back.
 */
async function blocksOf(work: () => Promise<unknown>): Promise<number> {
  statements = []
  await work()
  let blocks = 0
  for (const { query, parameters } of statements) {
    await database.db.$client
      .begin(async (sql) => {
        const [row] = await sql.unsafe<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(
          `explain (analyze, buffers, format json) ${query}`,
          parameters,
        )
        const { Plan: plan } = row!['QUERY PLAN'][0]
        blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
        throw undone
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error
      })
  }
  expect(statements.length).toBeGreaterThan(0)
  return blocks
}

/**
 * Returns the number of pages of the queue and its indexes touched by all connections that have reported
 * them.
 */
async function touched(): Promise<number> {
  const { $client: sql } = database.db
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<[{ blocks: number }]>`
    select (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::float8 as blocks from pg_statio_user_tables where relname = 'deliveries'`
  return row.blocks
}

const undone = new Error('undone')
const lease = (limit: number) => leaseDue(watched, { partnerId, kind: 'update' }, limit, [1, 2], 60_000)

describe.each([
  ['freshly filled', ''],
  ['that the database knows well', 'vacuum analyze'],
])('in a queue %s', (_what, maintenance) => {
  beforeAll(async () => {
    if (maintenance !== '') await database.db.$client.unsafe(maintenance)
  })

  test('a lease touches the deliveries it takes, not finished or waiting ones', async () => {
    // 16 rows are read and written, with their events and the indexes: about ten pages each.
    expect(await blocksOf(() => lease(16))).toBeLessThan(16 * 40)
  })

  test('enqueuing an event does not scan waiting deliveries', async () => {
    const { $client: sql } = database.db
    const before = await touched()
    await withOwnConnection(database.db, async (own) => {
      await own.unsafe(`
        insert into events (partner_id, sequence, type, deal_id, created_at, body)
          select ${partnerId}, (select max(sequence) from events) + n, 'deal.updated', 5000 - n, now(), '{}' from generate_series(1, 250) n`)
      await own`select pg_stat_force_next_flush()`
      await own`select 1`
    })
    const blocks = (await touched()) - before
    await sql`delete from deliveries where created_at = (select max(created_at) from deliveries)`
    // Into six indexes, after checking each deal's few deliveries.
    expect(blocks).toBeGreaterThan(250)
    expect(blocks).toBeLessThan(250 * 200)
  })

  test('a withdrawal only touches the deliveries of the deals that leave', async () => {
    const before = await touched()
    await withOwnConnection(database.db, async (own) => {
      await own.unsafe(`
        begin;
        insert into deals (id, partner_id, json) select n, ${partnerId}, '{}' from generate_series(130001, 130100) n;
        insert into deal_places (list_id, position, deal_id) select ${partnerId}, n, n from generate_series(130001, 130100) n;
        delete from deal_places where list_id = ${partnerId};`)
      expect(
        await own`select count(*)::integer as count from deliveries where withdrawn_because is not null`,
      ).toEqual([{ count: 100 }])
      await own`rollback`
      await own`select pg_stat_force_next_flush()`
      await own`select 1`
    })
    // A scan of the whole queue would double it.
    expect((await touched()) - before).toBeLessThan(100 * 60)
  })

  test('leasing nothing costs almost nothing', async () => {
    await lease(200)
    expect(await lease(16)).toEqual([])
    expect(await blocksOf(() => lease(16))).toBeLessThan(100 * 10)
    await database.db.$client`update deliveries set leased_until = null where leased_until is not null`
  })

  test('finding due deliveries is cheap', async () => {
    expect(await blocksOf(() => findPending(watched, 1500))).toBeLessThan(200)
  })

  test('a removal without old rows ends at once, however many rows there are', async () => {
    expect(await blocksOf(() => removeOldEvents(watched, partnerId, 90))).toBeLessThan(1000)
    expect(await blocksOf(() => removeOldDeliveries(watched, partnerId, 90))).toBeLessThan(50)
    expect(await blocksOf(() => removeOldAttempts(watched, 30))).toBeLessThan(50)
  })
})

// A surprise burst: neither queue length nor planner statistics may change more than index depth.

/**
 * The planner's knowledge of a burst: no statistics, plans of a small queue, statistics of an idle queue, or
 * current ones.
 */
const knowledge = ['nothing', 'a quiet start', 'that nothing waits', 'all'] as const

type Pages = Record<string, number>

/**
 * Creates a queue of this many deals, each with 8 finished deliveries, and adds 2 more for each. Returns how
 * many pages each statement then touches for 16 deliveries.
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

  /** Does the work of an import and a worker for 16 deliveries. */
  async function round(): Promise<Pages> {
    const pages: Pages = {}
    async function counted<T>(what: string, work: () => Promise<T>): Promise<T> {
      const before = await pagesTouched(worker, importer, other)
      const result = await work()
      pages[what] = (await pagesTouched(worker, importer, other)) - before
      return result
    }
    await counted('enqueue', () => addEvents(importer, 16))
    const lease = () => leaseDue(worker, name, 16, [1, 2], 60_000)
    const delivered = await counted('lease', lease)
    await counted('renew', () => renewLeases(worker, delivered, 60_000))
    await counted('record successes', () =>
      recordAttempts(
        worker,
        delivered.map((delivery) => outcomeOf(delivery)),
        1e12,
      ),
    )
    const failed = await lease()
    await counted('record failures', () =>
      recordAttempts(
        worker,
        failed.map((delivery) => outcomeOf(delivery, failure(60_000))),
        1e12,
      ),
    )
    const unsent = await lease()
    await counted('release', () => releaseLeases(worker, unsent))
    await counted('look', () => findPending(worker, 1500))
    return pages
  }

  // Background work would be counted, and would analyze the burst.
  for (const table of ['events', 'deliveries', 'attempts', 'endpoints'])
    await admin.unsafe(`alter table ${table} set (autovacuum_enabled = false)`)
  await addFinished(20)
  if (known === 'a quiet start') await admin.unsafe('vacuum analyze')
  // The plan is cached from the sixth run on.
  for (let time = 0; time < 7; time++) await round()
  await addFinished(8 * deals)
  if (known === 'that nothing waits') {
    await admin`update deliveries set state = 'delivered', due_at = null where state = 'waiting'`
    await admin.unsafe('vacuum analyze')
  }
  await addEvents(other, 2 * deals)
  if (known === 'all') await admin.unsafe('vacuum analyze')
  const rounds: Pages[] = []
  // The minimum of several runs: some also clean up dead rows, or find ones that cannot be removed yet.
  while (rounds.length < 5) rounds.push(await round())
  for (const { $client } of [worker, importer, other]) await $client.end()
  await own.drop()
  return Object.fromEntries(
    Object.keys(rounds[0]!).map((what) => [what, Math.min(...rounds.map((pages) => pages[what]!))]),
  )
}

/** Returns how many pages of tables and indexes these connections have touched so far. */
async function pagesTouched(...all: Database[]): Promise<number> {
  for (const { $client: sql } of all) await sql`select pg_stat_force_next_flush()`
  const [row] = await all[0]!.$client<[{ pages: number }]>`
    select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0))::float8 as pages from pg_statio_user_tables`
  return row.pages
}

describe.each(knowledge)('with a burst of which the planner knows %s', (known) => {
  test('each statement touches as many pages as with a twentieth of it', async () => {
    const [expected, touched] = [await measureBurst(250, known), await measureBurst(5000, known)]
    // An index may be one level deeper, and a changed row moves if its page is full: two pages in each of its
    // indexes.
    const moves = 16 * 8 * 2
    for (const [what, pages] of Object.entries(touched))
      expect(pages, what).toBeLessThan(1.2 * expected[what]! + 20 + moves)
    // Some rows of each delivery, in up to seven indexes.
    for (const [what, pages] of Object.entries(touched)) expect(pages, what).toBeLessThan(16 * 60)
  }, 60_000)
})
