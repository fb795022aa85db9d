import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Command } from 'commander'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { extract, pack } from 'tar-stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '#db/client.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { renderOldDeals } from '../deals/render-old-store.ts'
import { renderDeal } from '../deals/render.ts'
import { insertFile } from '../files/store.ts'
import type { Runner } from '../runtime/command.ts'
import { readConfig } from '../runtime/env.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { writeEndpoints } from '../webhooks/store.ts'
import { BackupError } from './archive.ts'
import { addBackupCommands } from './commands.ts'
import { makeBackup } from './make-backup.ts'
import type { About, Manifest } from './manifest.ts'
import { checkBackup, restoreBackup } from './restore-backup.ts'
import { RestoreError } from './restore-store.ts'
import { knownMigrations } from './store.ts'

let source: TestDatabase
let place: string
/** The data directory that is backed up. */
let home: string
let whole: string
const databases: string[] = []
const quiet = () => {}

beforeAll(async () => {
  source = await createTestDatabase()
  place = await mkdtemp(join(tmpdir(), 'backup-'))
  home = join(place, 'home')
  await mkdir(join(home, 'files'), { recursive: true })
  await writeFile(join(home, 'encryption-key'), 'a key of the installation')
  await writeFile(join(home, 'auth-secret'), 'a secret of the installation')
  const { id } = (await insertPartner(source.db, 'sunline', 'Back\\slash\tand "quote"\nline, \\N, \\. ä 🏠'))!
  await writeEndpoints(source.db, id as PartnerId, { create: 'https://1.1.1.1/' })
  await issueToken(source.db, { partnerId: id, name: '', expiresAt: null })
  const records = Array.from({ length: 100 }, (_, at) => ({
    id: BigInt(at + 1),
    dealname: `Lopez ${at}`,
    amount: at / 3,
    notes: 'x\\'.repeat(at * 60),
    owner: { id: 7n, firstName: 'Ana' },
    cadCompleted: '2026-02-03',
  }))
  await writeDeals(
    source.db,
    records.map((record) => ({ record: record as never, partnerId: id })),
    { now: new Date(), events: true },
  )
  // Only files whose storage is `disk` are expected on disk.
  for (const name of ['one', 'two', 'gone', 'stored']) {
    if (['one', 'two'].includes(name)) await writeFile(join(home, 'files', name), name.repeat(20_000))
    await insertFile(source.db, {
      id: name,
      dealId: 1n,
      name: `${name}.txt`,
      type: 'text/plain',
      storage: name === 'stored' ? 's3' : 'disk',
      sizeBytes: name.length * 20_000,
    })
  }
  whole = await backUp(source.db)
}, 60_000)
afterAll(async () => {
  for (const name of databases) await source.db.$client.unsafe(`drop database ${name} with (force)`)
  await source.drop()
  await rm(place, { recursive: true })
})

let dataDir: string
beforeEach(() => {
  dataDir = join(place, randomUUID())
})

async function backUp(db: Database): Promise<string> {
  const path = join(place, `${randomUUID()}.backup`)
  await makeBackup({ db, dataDir: home, configured: {} }, path, quiet)
  return path
}

/** Returns the URL of a new database: completely empty, or that of a freshly installed system. */
async function makeDatabase(
  template: 'template0' | 'template_partner_deals',
  owner = 'postgres',
): Promise<string> {
  const name = `restore_${randomUUID().replaceAll('-', '')}`
  await source.db.$client.unsafe(`create database ${name} template ${template} owner ${owner}`)
  databases.push(name)
  return source.url.replace(/[^/]+$/, name)
}

async function withDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(url, 1)
  return work(db).finally(() => db.$client.end({ timeout: 5 }))
}

const restore = async (path: string, url: string) =>
  withDatabase(url, async (db) =>
    restoreBackup(await checkBackup(path), { db, dataDir, configured: {} }, quiet),
  )

/** Returns all rows of all tables in a canonical order. */
const rowsIn = (url: string) =>
  withDatabase(url, async ({ $client: sql }) => {
    const tables = await sql<
      { name: string }[]
    >`select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`
    return Object.fromEntries(
      await Promise.all(
        tables.map(async ({ name }) => {
          const rows = await sql.unsafe<{ line: string }[]>(
            `select (t.*)::text as line from ${name} t order by 1`,
          )
          return [name, rows.map(({ line }) => line)] as const
        }),
      ),
    )
  })

/** Returns the schema of the database: everything except rows. */
const rulesIn = (url: string) =>
  withDatabase(url, async ({ $client: sql }) =>
    (
      await sql<{ line: string }[]>`
  select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as line from pg_constraint where connamespace = 'public'::regnamespace
  union all select indexdef from pg_indexes where schemaname = 'public'
  union all select format('%s %s', tgname, tgenabled) from pg_trigger where not tgisinternal
  union all select format('%s %s', hash, created_at) from drizzle.__drizzle_migrations
  union all select format('%s %s %s', attrelid::regclass, attname, attstorage) from pg_attribute join pg_class on pg_class.oid = attrelid where relnamespace = 'public'::regnamespace and attnum > 0
  order by 1`
    ).map(({ line }) => line),
  )

/** Returns a copy of the backup with changed entries that is still valid gzip and tar. */
async function altered(
  path: string,
  change: (name: string, content: Buffer) => Buffer | null,
): Promise<string> {
  const entries = extract()
  entries.end(gunzipSync(await readFile(path)))
  const out = pack()
  const packed = buffer(out)
  for await (const entry of entries) {
    const content = change(
      entry.header.name,
      Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Buffer>)),
    )
    if (content !== null) out.entry({ name: entry.header.name }, content)
  }
  out.finalize()
  const changed = join(place, `${randomUUID()}.backup`)
  await writeFile(changed, gzipSync(await packed, { level: 1 }))
  return changed
}

const edit = <T>(content: Buffer, change: (value: T) => void): Buffer => {
  const value = JSON.parse(content.toString()) as T
  change(value)
  return Buffer.from(JSON.stringify(value))
}

describe('a restored system', () => {
  test('has everything from the source, in an empty database, for a user who is not a superuser', async () => {
    await source.db.$client.unsafe(`create role ordinary login password 'ordinary'`)
    const url = (await makeDatabase('template0', 'ordinary')).replace(/\/\/[^@]+@/, '//ordinary:ordinary@')
    expect(await restore(whole, url)).toEqual([])
    const rows = await rowsIn(url)
    expect(rows).toEqual(await rowsIn(source.url))
    expect([
      rows['deals']!.length,
      rows['events']!.length,
      rows['deliveries']!.length,
      rows['people']!.length,
    ]).toEqual([100, 100, 100, 1])
    expect(await rulesIn(url)).toEqual(await rulesIn(source.url))
    expect(await readFile(join(dataDir, 'encryption-key'), 'utf8')).toBe('a key of the installation')
    expect(await readFile(join(dataDir, 'files', 'two'), 'utf8')).toBe('two'.repeat(20_000))
    expect((await readdir(dataDir)).toSorted()).toEqual(['auth-secret', 'encryption-key', 'files'])
    expect((await checkBackup(whole)).manifest.files).toMatchObject({ count: 2, missing: 1 })
    // New rows continue the sequence of the restored rows.
    const last = (await source.db.$client<[{ id: string }]>`select max(id) as id from deliveries`)[0]!.id
    await withDatabase(url, async (db) => {
      expect((await insertPartner(db, 'next', 'Next'))!.id).toBe(2)
      await writeDeals(db, [{ record: { id: 1000n }, partnerId: 1 }], { now: new Date(), events: true })
      expect(await db.$client`select id from deliveries where id > ${last}`).toEqual([
        { id: String(Number(last) + 1) },
      ])
    })
    await expect(restore(whole, url)).rejects.toThrow(
      new RestoreError(
        'the database already has partners; a backup can be restored only to an empty database; set another DATA_DIR or DATABASE_URL',
      ),
    )
  })

  test('has files readable only by its owner', async () => {
    await restore(whole, await makeDatabase('template_partner_deals'))
    const open: string[] = []
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name))
      if ((mode & 0o777) !== (entry.isDirectory() ? 0o700 : 0o600))
        open.push(`${entry.name} ${(mode & 0o777).toString(8)}`)
    }
    expect(open).toEqual([])
    expect((await readdir(join(dataDir, 'files'))).length).toBeGreaterThan(1)
    expect((await stat(dataDir)).mode & 0o077).toBe(0)
  })

  test('replaces a database that was started but unused, and skips unknown tables', async () => {
    await source.db.$client.unsafe('create table odd (id integer)')
    const path = await backUp(source.db)
    await source.db.$client.unsafe('drop table odd')
    const url = await makeDatabase('template_partner_deals')
    await withDatabase(
      url,
      ({ $client }) => $client`insert into throttles (hash, ends_at) values ('x', now())`,
    )
    expect(await restore(path, url)).toEqual(['odd'])
    expect(await rowsIn(url)).toEqual(await rowsIn(source.url))
  })

  test('has the current schema after restoring an older version', async () => {
    const folder = join(place, 'older')
    await cp(join(import.meta.dirname, '../../db/migrations'), folder, { recursive: true })
    const journal = await readFile(join(folder, 'meta/_journal.json'))
    const [last] = await knownMigrations()
    await writeFile(
      join(folder, 'meta/_journal.json'),
      edit<{ entries: unknown[] }>(journal, (value) => {
        value.entries.length = 1
      }),
    )
    const older = await makeDatabase('template0')
    const sql = postgres(older, { max: 1, onnotice: quiet })
    await migrate(drizzle(sql), { migrationsFolder: folder })
    await sql.unsafe(
      `insert into partners (slug, name) values ('old', 'Old'); insert into deal_lists (id) values (0), (1); insert into deals (id, partner_id, json, render_version) values (5, 1, '{"id":5,"stage":"NTP"}', 7); insert into endpoints (partner_id, kind, url) values (1, 'create', 'https://1.1.1.1/')`,
    )
    await sql`insert into events (partner_id, sequence, type, deal_id, created_at, body) values (1, 1, 'deal.created', 5, now(), '{}')`
    await sql.end()
    const path = await withDatabase(older, backUp)
    expect((await checkBackup(path)).about.migration).toEqual(last)
    const url = await makeDatabase('template_partner_deals')
    await restore(path, url)
    expect(await rulesIn(url)).toEqual(await rulesIn(source.url))
    expect(
      await withDatabase(
        url,
        ({ $client }) =>
          $client`select id, slug, (select count(*)::integer from deals) as deals, (select count(*)::integer from deliveries) as deliveries from partners`,
      ),
    ).toEqual([{ id: 1, slug: 'old', deals: 1, deliveries: 1 }])
    await withDatabase(url, async (db) => {
      expect(await renderOldDeals(db)).toBe(1)
      expect(await db.$client`select json, stage from deals where id = 5`).toEqual([
        { json: renderDeal({ id: 5n, stage: 'NTP' }), stage: 'NTP' },
      ])
    })
  })
})

describe('before opening a database, a restore rejects', () => {
  const reasonOf = (path: string) =>
    checkBackup(path).then(
      () => null,
      (error: unknown) => error,
    )

  test('a file that is not a backup', async () => {
    const notOne = new BackupError('the file is not a backup of Partner Deals')
    const other = join(place, 'other')
    for (const content of ['{"id": 1}\n', gzipSync('plain text'), '', gzipSync(Buffer.alloc(1024))]) {
      await writeFile(other, content)
      expect(await reasonOf(other), String(content)).toBeInstanceOf(BackupError)
    }
    await writeFile(other, '{"id": 1}\n')
    expect(await reasonOf(other)).toEqual(notOne)
    expect(
      await reasonOf(await altered(whole, (name, content) => (name === 'back-up.json' ? null : content))),
    ).toEqual(notOne)
  })

  test('a truncated backup', async () => {
    const bytes = await readFile(whole)
    const damaged = join(place, 'damaged')
    for (const part of [0.1, 0.5, 0.999]) {
      await writeFile(damaged, bytes)
      await truncate(damaged, Math.floor(bytes.length * part))
      expect(await reasonOf(damaged)).toEqual(
        new BackupError('the backup is damaged or incomplete (unexpected end of file)'),
      )
    }
  })

  // A few bits do not affect the content, such as the time in gzip's header or an unused Huffman code.
  test('a backup with a flipped bit, unless its content is the same', async () => {
    const bytes = await readFile(whole)
    const content = gunzipSync(bytes)
    const damaged = join(place, 'damaged')
    let refused = 0
    for (let step = 0; step < 24; step++) {
      const at = Math.floor((bytes.length * step) / 24)
      const flipped = Buffer.from(bytes)
      flipped[at]! ^= 1 << (step % 8)
      await writeFile(damaged, flipped)
      const reason = await reasonOf(damaged)
      if (reason === null)
        expect(gunzipSync(flipped).equals(content), `bit ${step % 8} of byte ${at}`).toBe(true)
      else expect(reason, `bit ${step % 8} of byte ${at}`).toBeInstanceOf(BackupError)
      refused += reason === null ? 0 : 1
    }
    expect(refused).toBeGreaterThan(20)
  })

  test('an altered backup, even if gzip and tar are valid', async () => {
    const words = new Map([
      ['tables/deals.0001.copy', 'the backup is damaged (the rows of the table "deals" have changed)'],
      ['files/two', 'the backup is damaged (the files of deals have changed)'],
      ['kept/encryption-key', 'the backup is damaged (the secrets have changed)'],
      ['manifest.json', 'the backup is incomplete (its manifest is missing)'],
    ])
    const changes: ((content: Buffer) => Buffer | null)[] = [
      () => null,
      (content) => Buffer.concat([content, Buffer.from('1\n')]),
    ]
    for (const [name, reason] of words)
      for (const change of name === 'manifest.json' ? changes.slice(0, 1) : changes)
        expect(
          await reasonOf(
            await altered(whole, (each, content) => (each === name ? change(content) : content)),
          ),
        ).toEqual(new BackupError(reason))
  })

  test('a backup whose encryption key is not the configured one', async () => {
    const key = { ENCRYPTION_KEY: 'another key of at least 32 characters' }
    const program = new Command()
    addBackupCommands(program, {
      readConfig: () => readConfig({ DATA_DIR: dataDir, DATABASE_URL: source.url, ...key }),
    } as Runner)
    await expect(program.parseAsync(['restore', whole], { from: 'user' })).rejects.toThrow(
      /^ENCRYPTION_KEY is not the key of the backup/,
    )
    expect(existsSync(dataDir)).toBe(false)
  })

  test('a backup of a newer version', async () => {
    const newer = await altered(whole, (name, content) =>
      name === 'back-up.json' ? edit<About>(content, (about) => void (about.format = 2)) : content,
    )
    expect(await reasonOf(newer)).toMatchObject({ message: expect.stringContaining('its format is 2') })
  })
})

describe('a failed restore changes nothing', () => {
  /** Attempts a restore, and checks that this changes neither the database nor the disk. */
  async function refused(path: string, url: string): Promise<unknown> {
    const before = await Promise.all([rowsIn(url), rulesIn(url)])
    const reason = await restore(path, url).then(
      () => null,
      (error: unknown) => error,
    )
    expect(await Promise.all([rowsIn(url), rulesIn(url)])).toEqual(before)
    expect(await readdir(dataDir).catch(() => [])).toEqual([])
    return reason
  }

  let fresh: string
  beforeAll(async () => {
    fresh = await makeDatabase('template_partner_deals')
  })

  test('if the backup changed after it was checked', async () => {
    const path = await altered(whole, (_name, content) => content)
    const backup = await checkBackup(path)
    const before = await rulesIn(fresh)
    await writeFile(
      path,
      await readFile(
        await altered(whole, (name, content) => (name === 'tables/users.0001.copy' ? null : content)),
      ),
    )
    await expect(
      withDatabase(fresh, (db) => restoreBackup(backup, { db, dataDir, configured: {} }, quiet)),
    ).rejects.toThrow('the rows of the table "users" have changed')
    await truncate(path, 5000)
    await expect(
      withDatabase(fresh, (db) => restoreBackup(backup, { db, dataDir, configured: {} }, quiet)),
    ).rejects.toThrow('damaged or incomplete')
    expect([await rulesIn(fresh), await readdir(dataDir)]).toEqual([before, []])
  })

  test('if rows violate a constraint: a duplicate, or a missing partner', async () => {
    const remake = (table: string, change: (rows: string) => string) => {
      let bytes: Buffer
      return altered(whole, (name, content) => {
        if (name === `tables/${table}.0001.copy`) return (bytes = Buffer.from(change(content.toString())))
        return name !== 'manifest.json'
          ? content
          : edit<Manifest>(content, ({ tables }) => {
              const rows = bytes.toString().split('\n').length - 1
              Object.assign(
                tables.find((each) => each.name === table)!,
                { rows, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
              )
            })
      })
    }
    expect(await refused(await remake('partners', (rows) => rows.repeat(2)), fresh)).toEqual(
      new RestoreError(
        'the database rejects rows of the table "partners" (see its log): nothing was changed',
      ),
    )
    expect(await refused(await remake('partners', () => ''), fresh)).toMatchObject({ code: '23503' })
  })

  test('if the database is not empty or is in use', async () => {
    const url = await makeDatabase('template_partner_deals')
    const other = openDatabase(url, 1)
    await other.$client`select 1`
    expect(await refused(whole, url)).toEqual(
      new RestoreError(
        'Partner Deals is using this database; stop it with its workers and commands, then restore again',
      ),
    )
    await other.$client`insert into deals (id, json) values (1, '{}')`
    await other.$client.end()
    expect(await refused(whole, url)).toMatchObject({
      message: expect.stringMatching(/^the database already has deals; /),
    })
    const foreign = await makeDatabase('template0')
    await withDatabase(foreign, ({ $client }) => $client`create table theirs (id integer)`)
    await expect(restore(whole, foreign)).rejects.toThrow('the database has tables of another program')
  })
})

describe('a failed backup', () => {
  test('leaves no files behind and the connection unchanged', async () => {
    const directory = join(place, 'full')
    await mkdir(join(directory, 'files', 'one'), { recursive: true })
    await writeFile(join(directory, 'encryption-key'), 'x')
    // A directory cannot be read like a file, so the backup fails.
    await withDatabase(source.url, async (db) => {
      await expect(
        makeBackup({ db, dataDir: directory, configured: {} }, join(directory, 'x.backup'), quiet),
      ).rejects.toThrow('EISDIR')
      await expect(
        makeBackup({ db, dataDir: directory, configured: {} }, join(directory, 'nowhere', 'x.backup'), quiet),
      ).rejects.toThrow('ENOENT')
      expect(await db.$client`select 1 as one`).toEqual([{ one: 1 }])
    })
    expect((await readdir(directory)).toSorted()).toEqual(['encryption-key', 'files'])
  })
})
