import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { DataDirInUseError, lockDataDir } from '../../db/data-dir.ts'
import { storedSecret } from './system.ts'

let directory: string
let database: TestDatabase
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'system-'))
  database = await createTestDatabase()
})
afterAll(async () => {
  await database.drop()
  await rm(directory, { recursive: true })
})

describe('an installation secret', () => {
  test('is created once, stored, and has 256 bits', async () => {
    const secret = await storedSecret(directory, 'first')
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
    expect(await storedSecret(directory, 'first')).toBe(secret)
    expect(await readFile(join(directory, 'first'), 'utf8')).toBe(secret)
    expect(await storedSecret(directory, 'second')).not.toBe(secret)
  })

  test('is readable only by its owner', async () => {
    await storedSecret(directory, 'private')
    expect((await stat(join(directory, 'private'))).mode & 0o777).toBe(0o600)
  })

  test('is the same for concurrent processes', async () => {
    for (let round = 0; round < 50; round++) {
      const secrets = await Promise.all(
        Array.from({ length: 20 }, () => storedSecret(directory, `at once ${round}`)),
      )
      expect(new Set(secrets).size).toBe(1)
      expect(secrets[0]).toHaveLength(43)
    }
  })

  test('is not used if it cannot be stored', async () => {
    await expect(storedSecret(join(directory, 'nowhere'), 'secret')).rejects.toThrow('ENOENT')
  })
})

describe('the data directory lock', () => {
  test('is held by one server, and a second server reports the directory', async () => {
    const lock = await lockDataDir(database.url, '/var/lib/deals')
    await expect(lockDataDir(database.url, '/var/lib/deals')).rejects.toThrow(DataDirInUseError)
    await expect(lockDataDir(database.url, '/var/lib/deals')).rejects.toThrow(
      'The data directory /var/lib/deals is in use by another Partner Deals. Stop that one, or choose another directory: DATA_DIR=… npm start',
    )
    await lock.release()
    const next = await lockDataDir(database.url, '/var/lib/deals')
    await next.release()
  })

  test('is granted to only one of many concurrent callers', async () => {
    const locks = await Promise.allSettled(
      Array.from({ length: 6 }, () => lockDataDir(database.url, '.data')),
    )
    const acquired = locks.filter((lock) => lock.status === 'fulfilled')
    expect(acquired).toHaveLength(1)
    await acquired[0]!.value.release()
  })
})
