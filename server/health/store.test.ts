import { beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '#e2e/open-database.ts'
import { DecryptionError } from '../values/encryption.ts'
import { checkInstallationKey } from './store.ts'

const database = await openTestDatabase()
beforeEach(async () => void (await database.db.$client`delete from installation`))

const [key, other] = [1, 2].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer]

test('accepts the key of the first start and no other', async () => {
  await checkInstallationKey(database.db, key)
  await checkInstallationKey(database.db, key)
  await expect(checkInstallationKey(database.db, other)).rejects.toThrow(DecryptionError)
})

test('stores the key alongside other data of the installation', async () => {
  await database.db.$client`insert into installation (backed_up_at) values (now())`
  await checkInstallationKey(database.db, key)
  await expect(checkInstallationKey(database.db, other)).rejects.toThrow(DecryptionError)
  expect(await database.db.$client`select from installation where backed_up_at is not null`).toHaveLength(1)
})

test('accepts concurrent first starts with the same key', async () => {
  await Promise.all(Array.from({ length: 5 }, () => checkInstallationKey(database.db, key)))
})

test('rejects one of two concurrent first starts with different keys', async () => {
  const outcomes = await Promise.allSettled(
    [key, other].map((each) => checkInstallationKey(database.db, each)),
  )
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})
