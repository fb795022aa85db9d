import { randomUUID } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { type Database, migrateDatabase, openDatabase } from './client.ts'
import { startEmbedded } from './embedded.ts'

const urlVariable = 'TEST_POSTGRES_URL'
const directoryVariable = 'TEST_DIRECTORY'

/**
 * Starts a PostgreSQL server with a migrated template for a test run. Returns a function that stops the
 * server.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'partner-deals-test-'))
  // PostgreSQL's user must be able to enter the directory.
  await chmod(dataDir, 0o755)
  const embedded = await startEmbedded({
    dataDir,
    database: 'template_partner_deals',
    log: () => {},
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      // Autovacuum would change plans while costs are measured.
      autovacuum: 'off',
      max_connections: '300',
    },
  })
  await migrateDatabase(embedded.url)
  process.env[urlVariable] = embedded.url
  process.env[directoryVariable] = dataDir
  return async () => {
    await embedded.stop()
    await rm(embedded.directory, { recursive: true, force: true })
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** A newly migrated database for one test file. */
export interface TestDatabase {
  db: Database
  url: string
  drop(): Promise<void>
}

/** A template that contains more than the schema. */
export interface PreparedTemplate {
  name: string
  /** Fills the migrated database at `url` and its `directory`, and closes its connections. */
  prepare(url: string, directory: string): Promise<void>
}

/** Clones the migrated template in about 25 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return cloneOf('template_partner_deals')
}

/** Clones a prepared template, which is created on first use in a run. Also returns its directory. */
export async function createPreparedDatabase({
  name,
  prepare,
}: PreparedTemplate): Promise<TestDatabase & { preparedDirectory: string }> {
  const preparedDirectory = join(process.env[directoryVariable]!, name)
  const admin = postgres(urlOf('postgres'), { max: 1, onnotice: () => {} })
  try {
    await admin`select pg_advisory_lock(hashtext(${name}))`
    if ((await admin`select 1 from pg_database where datname = ${name}`).length === 0) {
      const unfinished = `${name}_unfinished`
      await admin.unsafe(`create database ${unfinished} template template_partner_deals`)
      await mkdir(preparedDirectory, { mode: 0o700 })
      await prepare(urlOf(unfinished), preparedDirectory)
      await admin.unsafe(`alter database ${unfinished} rename to ${name}`)
    }
  } finally {
    await admin.end()
  }
  return { ...(await cloneOf(name)), preparedDirectory }
}

function urlOf(database: string): string {
  const template = process.env[urlVariable]
  if (template === undefined)
    throw new Error('The tests run by "npm test" or "npx vitest --config e2e/vitest.config.ts"')
  return template.slice(0, template.lastIndexOf('/') + 1) + database
}

async function cloneOf(template: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const admin = postgres(urlOf('postgres'), { max: 1, onnotice: () => {} })
  // Creating a database through the write-ahead log takes twice as long.
  await admin.unsafe(`create database ${name} template ${template} strategy file_copy`)
  const url = urlOf(name)
  const db = openDatabase(url, 8)
  return {
    db,
    url,
    async drop() {
      await db.$client.end({ timeout: 5 })
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}
