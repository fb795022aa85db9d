import { fileURLToPath } from 'node:url'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'

/** Drizzle over one pool of connections; `$client` is the pool itself, for the few statements that need it. */
export type Database = PostgresJsDatabase & { $client: postgres.Sql }

/** A transaction of a `Database`; what reads may be given either. */
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]

/** Returns the driver's own transaction under one of drizzle's, for the few statements that need it. */
export const clientOf = (tx: Transaction) => (tx as unknown as { session: { client: postgres.TransactionSql } }).session.client

/** How many connections a process holds at most. */
export const poolSize = 8

/** A pool on the database at `url`; connects when it is first asked something. */
export function openDatabase(url: string, connections = poolSize): Database {
  const client = postgres(url, {
    max: connections,
    connect_timeout: 5,
    onnotice: () => {},
    connection: {
      application_name: 'partner-deals',
      TimeZone: 'UTC',
      statement_timeout: 10_000,
      idle_in_transaction_session_timeout: 60_000,
    },
    backoff: (attempt) => Math.min(0.05 * 2 ** attempt, 1),
  })
  return drizzle(client)
}

/** Repeats a statement that does up to `batchSize` rows at a time until there are no more; gives how many it did. */
export async function inBatches(batchSize: number, work: () => Promise<number>): Promise<number> {
  for (let total = 0; ;) {
    const count = await work()
    total += count
    if (count < batchSize) return total
  }
}

/** The advisory lock that whoever changes the schema holds, and every process for a moment when it starts. Any number will do. */
export const migrationLock = 7_361_204

/** Brings the database's schema up to date; processes that start at once wait for each other. */
export async function migrateDatabase(url: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {}, connection: { statement_timeout: 0 } })
  try {
    await client`select pg_advisory_lock(${migrationLock})`
    await migrate(drizzle(client), { migrationsFolder: fileURLToPath(new URL('migrations', import.meta.url)) })
  } finally {
    await client.end({ timeout: 5 })
  }
}
