import { afterAll, beforeAll } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'

/** Creates a database before the tests of a file, and drops it afterwards. Usable in hooks and tests. */
export function useDatabase(): Pick<TestDatabase, 'db' | 'url'> {
  let database: TestDatabase
  beforeAll(async () => void (database = await createTestDatabase()))
  afterAll(() => database.drop())
  return {
    get db() {
      return database.db
    },
    get url() {
      return database.url
    },
  }
}
