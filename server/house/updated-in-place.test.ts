import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getTableName, isTable } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'

// PostgreSQL writes a new row version per update and vacuums later. Frequently updated tables set an early
// threshold: by default a fifth of the rows may be dead.

const root = join(import.meta.dirname, '../..')

/** Rows that users change occasionally. */
const changedByHand = new Set([
  'deal_assignees',
  'file_uploads',
  'files',
  'follows',
  'import_mappings',
  // One row.
  'installation',
  'message_settings',
  'messages',
  'notification_settings',
  'saved_replies',
  'push_subscriptions',
  // A row per post, of which there is one in ten minutes.
  'team_channels',
  'week_digests',
  // Deleted after their second update.
  'source_announced',
  // A row per source and day.
  'source_delays',
  'source_trials',
  'partners',
  'source_stages',
  'staff_phones',
  'stages',
  'thread_reads',
  'threads',
  'views',
  'webhook_secrets',
])
/** Upserts that change nothing: they return rows inserted by others. */
const returned = new Set(['people'])

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

async function tableNames(): Promise<Map<string, string>> {
  const schemas = await Promise.all(
    globSync('db/schema/*.ts', { cwd: root }).map(
      (path) => import(join(root, path)) as Promise<Record<string, unknown>>,
    ),
  )
  return new Map(
    schemas.flatMap((schema) =>
      Object.entries(schema).flatMap(([name, value]) =>
        isTable(value) ? [[name, getTableName(value)] as const] : [],
      ),
    ),
  )
}

/** Returns the tables whose rows a statement changes. */
async function updatedTables(): Promise<string[]> {
  const names = await tableNames()
  const text = globSync('server/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  const found = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!)
  const bySql = [
    ...found(/\bupdate ([a-z_]+)\s[^`;]*?\bset\b/g),
    ...found(/\binsert into ([a-z_]+)\b(?:(?!\binsert into\b)[^;])*?\bon conflict\b[^`]*?\bdo update\b/g),
  ]
  const byDrizzle = [
    ...found(/\.update\((\w+)\)\s*\.set\(/g),
    ...found(/\.insert\((\w+)\)(?:(?!\.insert\()[^;])*?\.onConflictDoUpdate\(/g),
  ].flatMap((name) => names.get(name) ?? [])
  const known = new Set(names.values())
  return [...new Set([...bySql, ...byDrizzle])].filter((name) => known.has(name)).toSorted()
}

test('each table that is updated in place sets its vacuum threshold', async () => {
  const tables = await updatedTables()
  expect(tables).toEqual(
    expect.arrayContaining(['deals', 'deal_lists', 'deliveries', 'tokens', 'users', 'workers']),
  )
  const rows = await database.db.$client<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and (select option_value::float8 from pg_options_to_table(reloptions)
        where option_name = 'autovacuum_vacuum_scale_factor') <= 0.05`
  const set = new Set(rows.map(({ name }) => name))
  expect(
    tables.filter((table) => !set.has(table) && !changedByHand.has(table) && !returned.has(table)),
  ).toEqual([])
  expect([...changedByHand, ...returned].filter((table) => !tables.includes(table))).toEqual([])
})

test('changed list rows stay on their page, without a new index entry', async () => {
  const { $client: sql } = database.db
  await sql`insert into deal_lists (id) select generate_series(1, 500)`
  await sql`vacuum deal_lists`
  for (let batch = 0; batch < 3; batch++) await sql`update deal_lists set revision = revision + 1`
  await sql`select pg_stat_force_next_flush()`
  const [stats] = await sql<[{ updates: number; hot: number; pages: number }]>`
    select n_tup_upd::integer as updates, n_tup_hot_upd::integer as hot,
      (pg_relation_size(relid) / 8192)::integer as pages
    from pg_stat_user_tables where relname = 'deal_lists'`
  expect(stats.updates).toBeGreaterThanOrEqual(1500)
  expect(stats.hot).toBeGreaterThanOrEqual(stats.updates * 0.9)
  expect(stats.pages).toBeLessThan(30)
})
