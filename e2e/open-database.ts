import { afterAll } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'

/** Creates a database for a test file, which is dropped after the file's last test. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  afterAll(() => database.drop())
  return database
}
