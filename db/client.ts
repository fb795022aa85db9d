import { join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { jobKindNames, policyOf } from '#server/jobs/kinds.ts'
import { type Gate, admitStatements } from './admitted.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { closeWhenSilent, connectToPrimary, openAlike, openSocket } from './hosts.ts'

/**
 * Drizzle on top of a connection pool, which is `$client`. Use transactions or `withOwnConnection` instead of
 * `reserve`: a reservation outlives its connection and may continue inside another transaction.
 */
export type Database = PostgresJsDatabase & {
  $client: postgres.Sql & { reserve: never; direct?: postgres.Sql }
}

/** A transaction of a `Database`. Functions that only read accept both types. */
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]

/** Transaction options for reads. PostgreSQL rejects writes in such transactions. */
type ReadOnlyOptions = 'isolation level repeatable read read only' | 'read only'

/** A `Database` or its replica, for reads. If the replica fails, the work runs again on the primary. */
export interface ReadDatabase {
  $client: {
    begin(
      options: ReadOnlyOptions,
      work: (sql: postgres.TransactionSql) => Promise<unknown>,
    ): Promise<unknown>
  }
}

/** Chooses the database for reads that may be slightly outdated. */
export interface Reads {
  /** Returns the database for reading a partner's rows, or 0 for all partners. */
  readsOf(partnerId: number): ReadDatabase
}

/** Runs the work in one read-only transaction. */
export const withReadOnly = <T>(
  db: ReadDatabase,
  work: (sql: postgres.TransactionSql) => Promise<T>,
): Promise<T> => db.$client.begin('read only', work) as Promise<T>

/** Returns the driver's transaction that underlies a Drizzle transaction. */
export const driverTransaction = (tx: Transaction) =>
  (tx as unknown as { session: { client: postgres.TransactionSql } }).session.client

/** Maximum number of connections in a process's pool. Each running import uses one more. */
export const poolSize = 8

/** Settings of sessions that do not use a pooler. */
const sessionSettings = { statement_timeout: 10_000, idle_in_transaction_session_timeout: 60_000 }

/** Given as text, because the driver omits a setting of 0. */
const unlimited = '0'

/** Maximum time in seconds to connect to one host, and to find the primary among several hosts. */
const connectS = 5
const primaryConnectS = 9

/**
 * Connects to the server at `url`. If the URL has several hosts or `target_session_attrs`, connects to the
 * primary.
 */
export function connect(url: string, options: postgres.Options<{}>): postgres.Sql {
  const parsed = parseDatabaseUrl(url)
  if (parsed === null)
    throw new Error('a database URL must look like postgres://user:password@host:5432/database')
  const { servers, target } = parsed
  const open = target === null ? () => openSocket(servers[0]!) : connectToPrimary(servers, target)
  const openWatched = (own: postgres.Sql['options']) => closeWhenSilent(open(own))
  return postgres(parsed.url, {
    // The driver accepts a `socket` function, although its types do not declare it.
    ...({ socket: options.idle_timeout === undefined ? open : openWatched } as object),
    connect_timeout: target === null ? connectS : primaryConnectS,
    onnotice: () => {},
    ...options,
  })
}

const sharedOptions = {
  backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 1),
  connection: { application_name: 'partner-deals', TimeZone: 'UTC' },
}

/** Opens a pool with these PostgreSQL settings, which connects on first use. `gate` admits its statements. */
export function openDatabase(
  url: string,
  connections = poolSize,
  settings: Record<string, string> = {},
  gate?: Gate,
  options: { idle_timeout?: number } = {},
): Database {
  const pool = connect(url, {
    ...sharedOptions,
    ...options,
    max: connections,
    connection: { ...sharedOptions.connection, ...sessionSettings, ...settings },
  })
  return makeDatabase(pool, {}, gate)
}

/** Time in seconds after which a worker's idle connections are closed. */
const idleS = 10

/**
 * Opens a pool for a worker. Closes connections whose peer has disappeared silently, because nothing in a
 * worker times out and TCP gives up only after 15 minutes.
 */
export const openWorkerDatabase = (
  url: string,
  connections: number,
  settings: Record<string, string> = {},
): Database => openDatabase(url, connections, settings, undefined, { idle_timeout: idleS })

function makeDatabase(pool: postgres.Sql, more: { direct?: postgres.Sql }, gate: Gate | undefined): Database {
  const client = Object.assign(pool, { reserve: undefined as never, ...more })
  return drizzle(gate === undefined ? client : admitStatements(client, gate))
}

/**
 * Opens a pool that uses a pooler in transaction mode at `url`. The pooler rejects startup settings (see
 * `setPooledDefaults`). Dedicated connections use `directUrl` to bypass the pooler.
 */
export function openPooledDatabase(url: string, directUrl: string, gate?: Gate): Database {
  // Behind a pooler, a statement sent before the last response may reach another session.
  const oneByOne = { max_pipeline: 0 }
  const pool = connect(url, {
    ...sharedOptions,
    ...oneByOne,
    max: poolSize,
    // A named statement stays in the session that prepared it.
    prepare: false,
  })
  const { $client: direct } = openDatabase(directUrl, 1)
  return makeDatabase(pool, { direct }, gate)
}

/** Makes the session timeouts defaults of the role in this database, for sessions behind a pooler. */
export async function setPooledDefaults({ $client: sql }: Database): Promise<void> {
  const wanted = Object.entries(sessionSettings).map(([name, ms]) => ({ name, ms }))
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${migrationLock})`
    const [row] = await tx<[{ database: string; set: string[] | null }]>`
      select current_database() as database, (select setconfig from pg_db_role_setting
        where setrole = current_user::regrole and setdatabase = oid) as set
      from pg_database where datname = current_database()`
    for (const { name, ms } of wanted)
      if (!row.set?.includes(`${name}=${ms}`))
        await tx`alter role current_user in database ${tx(row.database)} set ${tx(name)} = ${tx.unsafe(String(ms))}`
  })
}

/**
 * Runs the work in one snapshot, without table scans or avoidable sorts, so that the cost does not depend on
 * planner statistics.
 */
export const withoutScans = <T>(db: ReadDatabase, work: (sql: postgres.TransactionSql) => Promise<T>) =>
  db.$client.begin('isolation level repeatable read read only', async (sql) => {
    // Sent together with the first statement of the work. Turns off JIT, because plans that use disabled
    // operations appear expensive.
    const isSet = sql`
      select set_config(name, 'off', true) from unnest(array[
        'enable_seqscan', 'enable_sort', 'enable_hashjoin', 'enable_mergejoin', 'jit']) as name`.execute()
    const [done] = await Promise.all([work(sql), isSet])
    return done
  }) as Promise<T>

/** Runs the work on a dedicated connection without a statement timeout, then closes the connection. */
export async function withOwnConnection<T>(
  { $client }: Database,
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  const { options } = $client.direct ?? $client
  const connection = { ...options.connection, statement_timeout: unlimited }
  const sql = openAlike(options, { connection })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Waits between two batches, depending on the duration of the previous batch. Returns false to stop. */
export type Rest = (tookMs: number) => Promise<boolean>

/**
 * Repeats a statement that processes up to `batchSize` rows until no rows are left or `rest` returns false.
 * Returns the number of rows.
 */
export async function inBatches(
  batchSize: number,
  work: () => Promise<number>,
  rest: Rest = async () => true,
): Promise<number> {
  for (let total = 0; ;) {
    const began = performance.now()
    const count = await work()
    total += count
    if (count < batchSize || !(await rest(performance.now() - began))) return total
  }
}

/** Number of rows deleted per statement, which takes a few milliseconds. */
const deletedAtOnce = 1000

/** Deletes the rows of a table that match a condition, in batches. Returns the number of deleted rows. */
export const deleteInBatches = (
  { $client: sql }: Database,
  table: string,
  condition: postgres.PendingQuery<postgres.Row[]>,
  rest?: Rest,
): Promise<number> =>
  inBatches(
    deletedAtOnce,
    async () => {
      const { count } = await sql`
        delete from ${sql(table)} where ctid = any(array(
          select ctid from ${sql(table)} where ${condition} limit ${deletedAtOnce}))`
      return count
    },
    rest,
  )

/**
 * Number of the advisory lock for schema changes, which every process takes at startup. The value is
 * arbitrary.
 */
export const migrationLock = 7_361_204

/** Migrates the schema, one process at a time. @throws Error if its version cannot be upgraded */
export async function migrateDatabase(url: string): Promise<void> {
  // `dirname` is undefined in the pages' bundle, which never runs migrations.
  const migrationsFolder = join(import.meta.dirname, 'migrations')
  const client = connect(url, { max: 2, connection: { statement_timeout: unlimited as unknown as number } })
  try {
    // Locks in a transaction, because behind a pooler a session lock would outlive this process.
    await client.begin(async (lock) => {
      await lock`set local idle_in_transaction_session_timeout = 0`
      await lock`select pg_advisory_xact_lock(${migrationLock})`
      const known = readMigrationFiles({ migrationsFolder }).map(({ folderMillis: when }) => ({ when }))
      const problem = upgradeProblem(await readLastMigration(lock), known)
      if (problem !== null) throw new Error(problem)
      // Applies migrations that are newer than the last recorded migration.
      await migrate(drizzle(client), { migrationsFolder })
      await updateQueues(client)
    })
  } finally {
    await client.end({ timeout: 5 })
  }
}

/** Maximum time in seconds that a job may run without a heartbeat from its process. */
const heartbeatS = 30
/** Time in seconds for which jobs may wait after they are due, and for which failed jobs are kept. */
const retentionS = 14 * 24 * 60 * 60
/** Time in seconds for which a finished periodic job is kept. */
const periodicRetentionS = 60 * 60

/** Creates the queue for each kind of job, or updates its policy. */
export async function updateQueues(sql: postgres.Sql | postgres.TransactionSql): Promise<void> {
  const queues = jobKindNames.map((name) => {
    const policy = policyOf(name)
    return { name, ...policy, deletionS: policy.cron === undefined ? retentionS : periodicRetentionS }
  })
  await sql`
    insert into pgboss.queue as queue (name, policy, retry_limit, retry_delay, retry_backoff, retry_delay_max,
      expire_seconds, retention_seconds, deletion_seconds, partition, table_name, heartbeat_seconds)
    select name, "queue", retries, "retryS", true, "retryMaxS", "expireS", ${retentionS}::integer, "deletionS", false,
      'job_common', ${heartbeatS}::integer
    from jsonb_to_recordset(${JSON.stringify(queues)}::text::jsonb) as kind (
      name text, "queue" text, retries integer, "retryS" integer, "retryMaxS" integer, "expireS" integer,
      "deletionS" integer)
    on conflict (name) do update set policy = excluded.policy, retry_limit = excluded.retry_limit,
      retry_delay = excluded.retry_delay, retry_delay_max = excluded.retry_delay_max,
      expire_seconds = excluded.expire_seconds, heartbeat_seconds = excluded.heartbeat_seconds`
}

/** Returns the time of the last migration of the database, or null if there is none. */
async function readLastMigration(sql: postgres.TransactionSql): Promise<number | null> {
  const [{ exists }] = await sql<[{ exists: boolean }]>`
    select to_regclass('drizzle.__drizzle_migrations') is not null as exists`
  if (!exists) return null
  const [{ last }] = await sql<[{ last: string | null }]>`
    select max(created_at)::text as last from drizzle.__drizzle_migrations`
  return last === null ? null : Number(last)
}

/**
 * Returns the reason why a database cannot be migrated, or null. `last` is the time of its last migration
 * (null if empty), and `known` has the migrations of this version, oldest first.
 */
export function upgradeProblem(last: number | null, known: readonly { when: number }[]): string | null {
  if (last === null || known.some(({ when }) => when === last)) return null
  if (last < known[0]!.when)
    return (
      'the database is of a version that is too old: upgrade to Partner Deals 1.1 first, ' +
      'start it once, and then upgrade to this version'
    )
  // A newer version may have migrated a database that this process shares.
  if (last > known.at(-1)!.when) return null
  return 'the database was made by a version under development, which cannot be upgraded: start with an empty one'
}
