import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './client.ts'

/** Returns the number of rows that the work reads from a table, by scans and indexes. */
export const rowsReadBy = (db: Database, table: string, work: () => Promise<unknown>): Promise<number> =>
  growthBy(db, 'seq_tup_read + idx_tup_fetch', 'pg_stat_all_tables', table, work)

/** Returns the number of index entries that the work reads. */
export const entriesReadBy = (
  db: Database,
  table: string,
  index: string,
  work: () => Promise<unknown>,
): Promise<number> =>
  growthBy(
    db,
    'sum(idx_tup_read)',
    `(select * from pg_stat_all_indexes where indexrelname = '${index}') as indexes`,
    table,
    work,
  )

/** Returns the number of pages that the work touches in the table, its indexes, and TOAST. */
export const pagesTouchedBy = (db: Database, table: string, work: () => Promise<unknown>): Promise<number> =>
  growthBy(
    db,
    `heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read
      + toast_blks_hit + toast_blks_read + tidx_blks_hit + tidx_blks_read`,
    'pg_statio_user_tables',
    table,
    work,
  )

/** Ends other connections, including vacuum, so that their statistics are flushed before measuring. */
export async function endOthers({ $client: sql }: Database): Promise<void> {
  const others = () => sql<{ pid: number }[]>`
    select pid, pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and backend_type in ('client backend', 'autovacuum worker')`
  while ((await others()).length > 0) await sleep(10)
}

/** Returns the increase of a table statistic. The database must have only one connection. */
async function growthBy(
  db: Database,
  statistic: string,
  view: string,
  table: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const { $client: sql } = db
  const read = async () => {
    await sql`select pg_stat_force_next_flush()`
    const [row] = await sql<[{ value: number }]>`
      select (${sql.unsafe(statistic)})::float8 as value from ${sql.unsafe(view)} where relid = ${table}::regclass`
    return row.value
  }
  // Prevents autovacuum from processing the work's dead rows during the measurement.
  await sql`alter table ${sql(table)} set (autovacuum_enabled = off, toast.autovacuum_enabled = off)`
  await endOthers(db)
  const before = await read()
  await work()
  return (await read()) - before
}
