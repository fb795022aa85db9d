import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { type Database, migrateDatabase, openDatabase } from './client.ts'
import { startEmbedded } from './embedded.ts'

const urlVariable = 'TEST_POSTGRES_URL'

/** Starts a PostgreSQL for a run of the tests with a migrated template in it; gives what stops it again. */
export default async function setup(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'partner-deals-test-'))
  const embedded = await startEmbedded({
    dataDir,
    database: 'template_partner_deals',
    log: () => {},
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  })
  await migrateDatabase(embedded.url)
  process.env[urlVariable] = embedded.url
  return async () => {
    await embedded.stop()
    await rm(embedded.directory, { recursive: true, force: true })
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** A fresh migrated database for one test file. */
export interface TestDatabase {
  db: Database
  url: string
  drop(): Promise<void>
}

/** Clones the template: about 50 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = process.env[urlVariable]
  if (template === undefined)
    throw new Error('The tests run by "npm test" or "npx vitest --config e2e/vitest.config.ts"')
  const urlOf = (database: string) => template.slice(0, template.lastIndexOf('/') + 1) + database
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const admin = postgres(urlOf('postgres'), { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name} template template_partner_deals`)
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
