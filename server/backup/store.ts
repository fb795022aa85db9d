import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type postgres from 'postgres'
import type { Database } from '#db/client.ts'
import type { Manifest, Migration } from './manifest.ts'

export interface Snapshot {
  /** The last migration applied to the database. */
  migration: Migration
  /** All tables with their stored columns; generated columns are excluded. */
  tables: { name: string; columns: string[] }[]
  /** Yields the rows of a table in PostgreSQL's COPY text format. Chunks contain only whole rows. */
  rowsOf(table: string): AsyncIterable<Buffer>
  /** Yields the IDs of the files on disk, in batches. */
  fileIds(): AsyncIterable<string[]>
  /** Returns the last values of the sequences, read after the rows so that no row has a higher number. */
  sequences(): Promise<Manifest['sequences']>
}

export const migrationsFolder = join(import.meta.dirname, '..', '..', 'db', 'migrations')

/** Returns this version's migrations, oldest first. */
export async function knownMigrations(): Promise<Migration[]> {
  const { entries } = JSON.parse(await readFile(join(migrationsFolder, 'meta', '_journal.json'), 'utf8')) as {
    entries: Migration[]
  }
  return entries.map(({ tag, when }) => ({ tag, when }))
}

// Fixes the text formats, because the target database may have other settings.
const plainTexts = `set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local timezone = 'UTC'; set local extra_float_digits = 1; set local bytea_output = 'hex'`

/**
 * Settings for a COPY transaction: no timeouts, and text formats that do not depend on the database's
 * settings.
 */
export const copySettings = `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; ${plainTexts}`

/** Runs the work with a snapshot of the database. Blocks only schema changes. @system backups */
export async function withSnapshot<T>(
  { $client }: Database,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  return (await $client.begin('isolation level repeatable read read only', async (tx) => {
    // Otherwise PostgreSQL might return the rows in a different order each time.
    await tx.unsafe(`${copySettings}; set local synchronize_seqscans = off`)
    const tables = await tablesOf(tx)
    await tx.unsafe(
      `lock table ${tables.map(({ name }) => quotedTable(name)).join(', ')} in access share mode`,
    )
    return work({
      migration: await lastMigration(tx),
      tables,
      rowsOf: (name) =>
        copyOut(
          tx,
          tables.find((table) => table.name === name)!,
        ),
      fileIds: () => fileIds(tx),
      sequences: async () => [
        ...(await tx<
          Manifest['sequences']
        >`select sequencename as name, last_value::text as "lastValue" from pg_sequences where schemaname = 'public' order by 1`),
      ],
    })
  })) as T
}

/** Returns our own tables and the jobs table, with their stored columns. @system backups */
export async function tablesOf(tx: postgres.TransactionSql): Promise<{ name: string; columns: string[] }[]> {
  return [
    ...(await tx<{ name: string; columns: string[] }[]>`
    select case nspname when 'public' then relname else nspname || '.' || relname end as name,
      array_agg(attname::text order by attnum) as columns
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace join pg_attribute on attrelid = pg_class.oid
    where (nspname = 'public' or (nspname, relname) = ('pgboss', 'job_common')) and relkind = 'r'
      and attnum > 0 and not attisdropped and attgenerated = ''
    group by nspname, relname order by 1`),
  ]
}

/** Quotes an SQL identifier. */
export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Quotes the name of a table, which may include a schema. */
export const quotedTable = (name: string) => name.split('.').map(quoted).join('.')

async function lastMigration(tx: postgres.TransactionSql): Promise<Migration> {
  const [row] = await tx<
    [{ when: string }]
  >`select max(created_at)::text as when from drizzle.__drizzle_migrations`
  const when = Number(row.when)
  const migration = (await knownMigrations()).find((known) => known.when === when)
  if (migration === undefined)
    throw new Error('the database is of a newer version of Partner Deals; make the backup with that version')
  return migration
}

type Table = Snapshot['tables'][number]

/** Returns the source of a COPY. Excludes pg-boss's internal jobs, which pg-boss creates again. */
function sourceOf({ name, columns }: Table): string {
  if (name !== 'pgboss.job_common') return quotedTable(name)
  return `(select ${columns.map(quoted).join(', ')} from ${quotedTable(name)} where not starts_with(name, '__pgboss__'))`
}

/**
 * Yields the rows in PostgreSQL's COPY text format, which is lossless and does not depend on PostgreSQL's
 * version.
 */
async function* copyOut(tx: postgres.TransactionSql, table: Table): AsyncGenerator<Buffer> {
  const rows: Readable = await tx.unsafe(`copy ${sourceOf(table)} to stdout`).readable()
  // The driver continues only when the stream requests more data, and a stream that has ended no longer does
  // that.
  rows.once('end', () => rows._read(0))
  try {
    for await (const chunk of rows.iterator({ destroyOnReturn: false })) yield chunk as Buffer
  } finally {
    // The connection cannot run another statement until all rows have been consumed.
    await finished(rows.resume()).catch(() => {})
  }
}

const idsAtOnce = 1000

async function* fileIds(tx: postgres.TransactionSql): AsyncGenerator<string[]> {
  for (let after = ''; ;) {
    // The `storage` column does not exist in older versions.
    const ids = (
      await tx<
        { id: string }[]
      >`select id from files where id > ${after} and coalesce(to_jsonb(files) ->> 'storage', 'disk') = 'disk' order by id limit ${idsAtOnce}`
    ).map(({ id }) => id)
    if (ids.length > 0) yield ids
    if (ids.length < idsAtOnce) return
    after = ids.at(-1)!
  }
}

/** Records that a backup was made. @system the command */
export async function recordBackup({ $client: sql }: Database): Promise<void> {
  await sql`
    insert into installation (backed_up_at) values (now())
    on conflict (is_only) do update set backed_up_at = excluded.backed_up_at`
}
