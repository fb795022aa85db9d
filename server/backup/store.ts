import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type postgres from 'postgres'
import type { Database } from '#db/client.ts'
import type { Manifest, Migration } from './manifest.ts'

/** The database as it is at one moment, whoever writes meanwhile. */
export interface Snapshot {
  /** The last migration of the database. */
  migration: Migration
  /** All tables, ours by being there, with the columns that are stored and not computed. */
  tables: { name: string; columns: string[] }[]
  /** The rows of a table as COPY writes them, a chunk of whole rows each time. */
  rowsOf(table: string): AsyncIterable<Buffer>
  /** The ids of the files of deals, some at a time. */
  fileIds(): AsyncIterable<string[]>
  /** Those numbers that the sequences have given; none that a row of the snapshot has is missing. */
  sequences(): Promise<Manifest['sequences']>
}

/** Where the migrations are. */
export const migrationsFolder = join(import.meta.dirname, '..', '..', 'db', 'migrations')

/** Returns the migrations of this version, oldest first. */
export async function knownMigrations(): Promise<Migration[]> {
  const { entries } = JSON.parse(await readFile(join(migrationsFolder, 'meta', '_journal.json'), 'utf8')) as {
    entries: Migration[]
  }
  return entries.map(({ tag, when }) => ({ tag, when }))
}

// How values are written must not depend on how a database is set up: they are read where it may be set up otherwise.
const plainTexts = `set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local timezone = 'UTC'; set local extra_float_digits = 1; set local bytea_output = 'hex'`

/** What a transaction of COPY begins with: it takes as long as it takes, and reads and writes the same texts everywhere. */
export const copySettings = `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; ${plainTexts}`

/**
 * Does the work with a snapshot, which lasts as long; nobody waits for it but who changes the schema.
 * @system back-ups
 */
export async function withSnapshot<T>(
  { $client }: Database,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  return (await $client.begin('isolation level repeatable read read only', async (tx) => {
    // Else a large table may be read from its middle on, and not twice in the same order.
    await tx.unsafe(`${copySettings}; set local synchronize_seqscans = off`)
    const tables = await tablesOf(tx)
    await tx.unsafe(`lock table ${tables.map(({ name }) => quoted(name)).join(', ')} in access share mode`)
    return work({
      migration: await lastMigration(tx),
      tables,
      rowsOf: (table) => copyOut(tx, table),
      fileIds: () => fileIds(tx),
      sequences: async () => [
        ...(await tx<
          Manifest['sequences']
        >`select sequencename as name, last_value::text as "lastValue" from pg_sequences where schemaname = 'public' order by 1`),
      ],
    })
  })) as T
}

/** Returns the tables of the schema, with the columns that are stored. @system back-ups */
export async function tablesOf(tx: postgres.TransactionSql): Promise<{ name: string; columns: string[] }[]> {
  return [
    ...(await tx<{ name: string; columns: string[] }[]>`
    select relname as name, array_agg(attname::text order by attnum) as columns from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped and attgenerated = '' group by relname order by relname`),
  ]
}

/** Returns a table or a column as it is written in SQL. */
export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

async function lastMigration(tx: postgres.TransactionSql): Promise<Migration> {
  const [row] = await tx<
    [{ when: string }]
  >`select max(created_at)::text as when from drizzle.__drizzle_migrations`
  const when = Number(row.when)
  const migration = (await knownMigrations()).find((known) => known.when === when)
  if (migration === undefined)
    throw new Error('the database belongs to a newer version of Partner Deals: make the back-up with that')
  return migration
}

/**
 * Returns the rows in the text format: it does not depend on the version of PostgreSQL, all types come out of
 * it as they went in, and what is in a back-up can be read with the eye.
 */
async function* copyOut(tx: postgres.TransactionSql, table: string): AsyncGenerator<Buffer> {
  const rows: Readable = await tx.unsafe(`copy ${quoted(table)} to stdout`).readable()
  // The driver reads on when the stream asks for more, and a stream at its end asks no more: the next statement would wait forever.
  rows.once('end', () => rows._read(0))
  try {
    for await (const chunk of rows.iterator({ destroyOnReturn: false })) yield chunk as Buffer
  } finally {
    // The connection does nothing else before all rows have been taken from it, not even the rollback.
    rows.resume()
  }
}

const idsAtOnce = 1000

async function* fileIds(tx: postgres.TransactionSql): AsyncGenerator<string[]> {
  for (let after = ''; ;) {
    const ids = (
      await tx<{ id: string }[]>`select id from files where id > ${after} order by id limit ${idsAtOnce}`
    ).map(({ id }) => id)
    if (ids.length > 0) yield ids
    if (ids.length < idsAtOnce) return
    after = ids.at(-1)!
  }
}
