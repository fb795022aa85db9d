import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrateDatabase } from './client.ts'
import { type TestDatabase, createTestDatabase } from './test-database.ts'
import { loadLastRelease } from './v1.1/load.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
let migrated: TestDatabase
let place: string

beforeAll(async () => {
  migrated = await createTestDatabase()
  // A copy, because drizzle-kit writes down what it finds missing.
  place = await mkdtemp(join(tmpdir(), 'migrations-'))
  for (const name of ['db', 'package.json'])
    await cp(join(root, name), join(place, name), { recursive: true })
  for (const name of ['node_modules', 'server']) await symlink(join(root, name), join(place, name))
})
afterAll(async () => {
  await migrated.drop()
  await rm(place, { recursive: true })
})

async function drizzleKit(command: string): Promise<string> {
  const { stdout } = await run(
    process.execPath,
    ['node_modules/drizzle-kit/bin.cjs', command, '--config', 'db/drizzle.config.ts'],
    { cwd: place },
  )
  return stdout
}

/** Returns a database with nothing in it, for as long as the work takes. */
async function withEmptyDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  const name = `empty_${crypto.randomUUID().replaceAll('-', '')}`
  await migrated.db.$client.unsafe(`create database ${name} template template0`)
  try {
    return await work(migrated.url.replace(/[^/]+$/, name))
  } finally {
    await migrated.db.$client.unsafe(`drop database ${name} with (force)`)
  }
}

async function ask<Row extends object>(url: string, query: string): Promise<Row[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return [...(await sql.unsafe<Row[]>(query))]
  } finally {
    await sql.end()
  }
}

/**
 * Returns every column, constraint and index of the public schema, in words of the database. "Not null" is said of
 * columns: the constraints by which PostgreSQL 18 holds it keep their names when a column or table is renamed.
 */
async function describeSchema(url: string): Promise<string[]> {
  const rows = await ask<{ line: string }>(
    url,
    `
    select format('column %s.%s %s%s%s%s', attrelid::regclass, attname, format_type(atttypid, atttypmod), case when attnotnull then ' not null' end,
      ' default ' || pg_get_expr(adbin, adrelid), nullif(' identity ' || attidentity::text, ' identity ')) as line
    from pg_attribute join pg_class on pg_class.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
    union all select format('constraint %s.%s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select format('sequence %s', sequencename) from pg_sequences where schemaname = 'public'`,
  )
  return rows.map(({ line }) => line).toSorted()
}

/** Returns the functions, triggers and settings of the public schema. */
async function describeRules(url: string): Promise<string[]> {
  const rows = await ask<{ line: string }>(
    url,
    `
    select pg_get_functiondef(oid) as line from pg_proc where pronamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select format('settings %s %s, of long texts %s', own.oid::regclass, own.reloptions, long.reloptions)
      from pg_class own left join pg_class long on long.oid = own.reltoastrelid
      where own.relnamespace = 'public'::regnamespace and own.relkind = 'r'
    union all select format('storage %s.%s %s', attrelid::regclass, attname, attstorage)
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped`,
  )
  return rows.map(({ line }) => line).toSorted()
}

describe('the migrations', () => {
  test('are complete: the schema in db/schema requires no further migration', async () => {
    const before = await readdir(join(place, 'db', 'migrations'))
    expect(await drizzleKit('generate')).toContain('No schema changes')
    expect(await readdir(join(place, 'db', 'migrations'))).toEqual(before)
  })

  test('form a single chain without forks', async () => {
    expect(await drizzleKit('check')).toContain("Everything's fine")
  })

  test('create exactly the database that the schema describes', async () => {
    const described = await withEmptyDatabase(async (url) => {
      await ask(url, await drizzleKit('export'))
      return describeSchema(url)
    })
    expect(described.length).toBeGreaterThan(80)
    expect(await describeSchema(migrated.url)).toEqual(described)
  })

  test('are the files listed in the journal, in its order', async () => {
    const { entries } = JSON.parse(
      await readFile(join(root, 'db/migrations/meta/_journal.json'), 'utf8'),
    ) as { entries: { idx: number; tag: string; when: number }[] }
    const files = (await readdir(join(root, 'db/migrations')))
      .filter((name) => name.endsWith('.sql'))
      .toSorted()
    expect(entries.map(({ tag }) => `${tag}.sql`)).toEqual(files)
    expect(entries.map(({ idx }) => idx)).toEqual(entries.map((_entry, index) => index))
    // The runtime skips a migration that is dated before the last one it applied.
    expect(entries.map(({ when }) => when)).toEqual(entries.map(({ when }) => when).toSorted((a, b) => a - b))
  })

  test('store long texts uncompressed and outside their rows', async () => {
    const rows = await ask(
      migrated.url,
      `
      select attrelid::regclass::text || '.' || attname as column from pg_attribute where attstorage = 'e' and attrelid in ('deals'::regclass, 'events'::regclass) order by 1`,
    )
    expect(rows).toEqual([{ column: 'deals.json' }, { column: 'events.body' }])
  })
})

describe('running the migrations', () => {
  const applied = async (url: string) =>
    (
      await ask<{ count: number }>(url, 'select count(*)::integer as count from drizzle.__drizzle_migrations')
    )[0]!.count
  const total = async () =>
    (await readdir(join(root, 'db/migrations'))).filter((name) => name.endsWith('.sql')).length

  test('several processes can migrate an empty database concurrently', async () => {
    await withEmptyDatabase(async (url) => {
      const program = `
        import { migrateDatabase } from ${JSON.stringify(join(import.meta.dirname, 'client.ts'))}
        await migrateDatabase(process.argv[1])`
      await Promise.all(
        Array.from({ length: 3 }, () => run(process.execPath, ['--input-type=module', '-e', program, url])),
      )
      expect(await applied(url)).toBe(await total())
      expect(await describeSchema(url)).toEqual(await describeSchema(migrated.url))
    })
  })

  test('concurrent upgrades from the last release yield the same schema as a new database', async () => {
    await withEmptyDatabase(async (url) => {
      await loadLastRelease(url)
      const before = await applied(url)
      await Promise.all([1, 2, 3].map(() => migrateDatabase(url)))
      // The first migration is what it already has.
      expect(await applied(url)).toBe(before + (await total()) - 1)
      expect(await describeSchema(url)).toEqual(await describeSchema(migrated.url))
      expect(await describeRules(url)).toEqual(await describeRules(migrated.url))
    })
  })

  test('rejects a database that is too old and leaves it unchanged', async () => {
    await withEmptyDatabase(async (url) => {
      await loadLastRelease(url)
      await ask(url, 'delete from drizzle.__drizzle_migrations where id > 40')
      await expect(migrateDatabase(url)).rejects.toThrow('upgrade to Partner Deals 1.1 first')
      expect(await applied(url)).toBe(40)
    })
  })

  test('an up-to-date database stays unchanged', async () => {
    const before = await applied(migrated.url)
    await migrateDatabase(migrated.url)
    expect(await applied(migrated.url)).toBe(before)
  })

  test('waits for the migration lock without a time limit', async () => {
    await withEmptyDatabase(async (url) => {
      const other = postgres(url, { max: 1 })
      await other`select pg_advisory_lock(7361204)`
      let done = false
      const migrating = migrateDatabase(url).then(() => {
        done = true
      })
      const waiting = () =>
        ask<{ count: number }>(
          url,
          "select count(*)::integer as count from pg_locks where locktype = 'advisory' and not granted",
        )
      while ((await waiting())[0]!.count === 0);
      expect(done).toBe(false)
      await other.end()
      await migrating
      expect(await applied(url)).toBe(await total())
    })
  })
})

test('updated list rows stay on their disk page and add no index entries', async () => {
  const { $client: sql } = migrated.db
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
