import { pipeline } from 'node:stream/promises'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type postgres from 'postgres'
import { type Database, migrationLock, updateQueues } from '#db/client.ts'
import type { Manifest, Migration } from './manifest.ts'
import { copySettings, migrationsFolder, quoted, quotedTable, tablesOf } from './store.ts'

/** Thrown when a backup cannot be restored here; the message tells the operator what to do. */
export class RestoreError extends Error {}

/** An empty schema that is filled from a backup. */
export interface Target {
  /** Returns true if the schema has this table. */
  has(table: string): boolean
  /** Loads rows in PostgreSQL's COPY text format. */
  load(table: string, columns: string[], rows: AsyncIterable<Buffer>): Promise<void>
}

/** Callbacks for filling a database. */
export interface Filling {
  load(target: Target): Promise<void>
  /** Called before the transaction commits. */
  settle(): Promise<void>
}

/**
 * Creates the schema that the backup was made from, fills the tables and applies newer migrations, all in one
 * transaction. The database user must own the tables but need not be a superuser.
 * @throws RestoreError if the database is not empty or is in use
 * @system backups
 */
export async function fillDatabase(
  { $client }: Database,
  migration: Migration,
  manifest: Manifest,
  { load, settle }: Filling,
): Promise<void> {
  await $client.begin(async (tx) => {
    await tx.unsafe(copySettings)
    // Processes that start now wait for this lock until the transaction ends.
    await tx`select pg_advisory_xact_lock(${migrationLock})`
    await refuseUnlessFree(tx)
    await empty(tx)
    await migrate(tx, -Infinity, migration.when)
    const enforce = await suspendRules(tx)
    const tables = new Set((await tablesOf(tx)).map(({ name }) => name))
    await load({
      has: (table) => tables.has(table),
      load: (table, columns, rows) => copyIn(tx, table, columns, rows),
    })
    for (const { name, rows } of manifest.tables.filter((table) => tables.has(table.name))) {
      const [{ count }] = await tx.unsafe<[{ count: string }]>(`select count(*) from ${quotedTable(name)}`)
      if (Number(count) !== rows)
        throw new RestoreError(
          `the table ${JSON.stringify(name)} has ${count} of its ${rows} rows: nothing was changed`,
        )
    }
    await enforce()
    for (const { name, lastValue } of manifest.sequences) {
      if (lastValue !== null)
        await tx`select setval(to_regclass('public.' || quote_ident(${name})), ${lastValue}::bigint)`
    }
    await migrate(tx, migration.when, Infinity)
    await updateQueues(tx)
    // Removes jobs whose kind no longer exists.
    await tx`delete from pgboss.job where name not in (select name from pgboss.queue)`
    await settle()
  })
  // Without statistics, PostgreSQL would plan the first searches as if the tables were empty.
  await $client.unsafe('set statement_timeout = 0; analyze')
}

async function refuseUnlessFree(tx: postgres.TransactionSql): Promise<void> {
  const [{ used }] = await tx<[{ used: boolean }]>`
    select exists (
      select from pg_stat_activity
      where datname = current_database() and application_name like 'partner-deals%'
        and pid <> pg_backend_pid()) as used`
  if (used)
    throw new RestoreError(
      'Partner Deals is using this database; stop it with its workers and commands, then restore again',
    )
  const advice = 'a backup can be restored only to an empty database; set another DATA_DIR or DATABASE_URL'
  const [{ ours, any }] = await tx<[{ ours: boolean; any: boolean }]>`
    select to_regclass('drizzle.__drizzle_migrations') is not null as ours,
      exists (select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')) as any`
  if (any && !ours) throw new RestoreError(`the database has tables of another program; ${advice}`)
  for (const table of ['partners', 'users', 'deals']) {
    const [{ exists }] = await tx<[{ exists: boolean }]>`
      select to_regclass(${`public.${table}`}) is not null as exists`
    const [found] = exists ? await tx.unsafe(`select from ${quoted(table)} limit 1`) : []
    if (found !== undefined) throw new RestoreError(`the database already has ${table}; ${advice}`)
  }
}

/** Drops all objects in our schemas, whatever their version, except those that belong to extensions. */
async function empty(tx: postgres.TransactionSql): Promise<void> {
  const removals = await tx<{ statement: string }[]>`
    select format('drop table if exists %s cascade', oid::regclass) as statement from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
    union all select format('drop routine if exists %s cascade', oid::regprocedure) from pg_proc
      where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    union all select format('drop type if exists %s cascade', oid::regtype) from pg_type
      where typnamespace = 'public'::regnamespace
        -- Excludes the row types of tables.
        and (typtype in ('e', 'd') or exists (select from pg_class where pg_class.oid = typrelid and relkind = 'c'))
        and not exists (select from pg_depend where objid = pg_type.oid and deptype = 'e')`
  for (const { statement } of removals) await tx.unsafe(statement)
  await tx`drop schema if exists drizzle cascade`
  await tx`drop schema if exists pgboss cascade`
}

/**
 * Applies the migrations dated later than `after` and no later than `until`. Drizzle's own migrator would
 * commit our transaction.
 */
async function migrate(tx: postgres.TransactionSql, after: number, until: number): Promise<void> {
  await tx.unsafe(
    'create schema if not exists drizzle; create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  )
  for (const { sql, hash, folderMillis } of readMigrationFiles({ migrationsFolder }).filter(
    ({ folderMillis: when }) => when > after && when <= until,
  )) {
    for (const statement of sql) await tx.unsafe(statement)
    await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`
  }
}

/**
 * Disables triggers and drops foreign keys while rows are loaded. Returns a function that restores both.
 * Foreign keys are dropped because only a superuser may disable them, and because checking a whole table
 * afterwards is faster.
 */
async function suspendRules(tx: postgres.TransactionSql): Promise<() => Promise<void>> {
  const keys = await tx<{ table: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as table, quote_ident(conname) as name,
      pg_get_constraintdef(oid) as definition from pg_constraint
      where connamespace = 'public'::regnamespace and contype = 'f'`
  const triggers = await tx<{ table: string; name: string }[]>`
    select tgrelid::regclass::text as table, quote_ident(tgname) as name from pg_trigger
      join pg_class on pg_class.oid = tgrelid
    where relnamespace = 'public'::regnamespace and not tgisinternal and tgenabled = 'O'`
  for (const { table, name } of keys) await tx.unsafe(`alter table ${table} drop constraint ${name}`)
  for (const { table, name } of triggers) await tx.unsafe(`alter table ${table} disable trigger ${name}`)
  return async () => {
    for (const { table, name, definition } of keys)
      await tx.unsafe(`alter table ${table} add constraint ${name} ${definition}`)
    for (const { table, name } of triggers) await tx.unsafe(`alter table ${table} enable trigger ${name}`)
  }
}

async function copyIn(
  tx: postgres.TransactionSql,
  table: string,
  columns: string[],
  rows: AsyncIterable<Buffer>,
): Promise<void> {
  const copy = await tx
    .unsafe(`copy ${quotedTable(table)} (${columns.map(quoted).join(', ')}) from stdin`)
    .writable()
  copy.on('error', () => {})
  await pipeline(rows, copy, { end: false })
  // Waits until all rows have been written.
  await new Promise<void>(
    (resolve, reject) => void copy.write(Buffer.alloc(0), (error) => (error ? reject(error) : resolve())),
  )
  copy.end()
  // The driver does not report an error at the end of a COPY, but then the next statement fails.
  await tx`select`.catch((error: unknown) => {
    if ((error as { code?: string }).code !== '25P02') throw error
    throw new RestoreError(
      `the database rejects rows of the table ${JSON.stringify(table)} (see its log): nothing was changed`,
    )
  })
}
