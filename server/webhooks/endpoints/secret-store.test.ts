import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { makeReceivingPartner } from '#e2e/delivery-queue.ts'
import { DecryptionError } from '../../values/encryption.ts'
import { secretOverlapMs } from '../policy.ts'
import {
  checkEncryptionKey,
  endOlderSecrets,
  readSecrets,
  insertSecret,
  secretsAtOnce,
} from './secret-store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const key = Buffer.alloc(32, 1)
const make = () => makeReceivingPartner(database.db)
const textOf = (secrets: { secret: string }[]) => secrets.map(({ secret }) => secret)

test('a partner has one secret, which every read returns, even if first reads are concurrent', async () => {
  const partnerId = await make()
  const looks = await Promise.all(Array.from({ length: 8 }, () => readSecrets(database.db, partnerId, key)))
  expect(new Set(looks.flatMap(textOf)).size).toBe(1)
  expect(looks[0]).toMatchObject([{ secret: expect.stringMatching(/^whsec_/) as string, expiresAt: null }])
  expect(textOf(await readSecrets(database.db, await make(), key))).not.toEqual(textOf(looks[0]!))
})

test('a secret is stored encrypted and bound to its partner', async () => {
  const [partnerId, other] = [await make(), await make()]
  const [{ secret }] = (await readSecrets(database.db, partnerId, key)) as unknown as [{ secret: string }]
  await readSecrets(database.db, other, key)
  const [row] = await database.db.$client<
    { encrypted: string }[]
  >`select encrypted from webhook_secrets where partner_id = ${partnerId}`
  expect(Buffer.from(row!.encrypted, 'base64').includes(secret.slice(6, 20))).toBe(false)
  await database.db
    .$client`update webhook_secrets set encrypted = ${row!.encrypted} where partner_id = ${other}`
  await expect(readSecrets(database.db, other, key)).rejects.toThrow(DecryptionError)
  await database.db.$client`delete from webhook_secrets where partner_id = ${other}`
})

test('a rotation puts a new secret first, and the previous secret stays valid for 24 hours', async () => {
  const partnerId = await make()
  const before = await readSecrets(database.db, partnerId, key)
  const after = (await insertSecret(database.db, partnerId, key))!
  expect(after).toHaveLength(2)
  expect(textOf(after).slice(1)).toEqual(textOf(before))
  expect(textOf(await readSecrets(database.db, partnerId, key))).toEqual(textOf(after))
  expect(secretOverlapMs).toBe(24 * 60 * 60 * 1000)
  const hours = (after[1]!.expiresAt!.getTime() - after[0]!.createdAt.getTime()) / 3_600_000
  expect(hours).toBeCloseTo(24, 1)
  await database.db
    .$client`update webhook_secrets set expires_at = now() where partner_id = ${partnerId} and expires_at is not null`
  expect(textOf(await readSecrets(database.db, partnerId, key))).toEqual(textOf(after).slice(0, 1))
})

test('concurrent rotations yield one secret each, of which one is current, within the maximum number', async () => {
  const partnerId = await make()
  const results = await Promise.all(
    Array.from({ length: 7 }, () => insertSecret(database.db, partnerId, key)),
  )
  expect(results.filter((result) => result === null)).toHaveLength(7 - (secretsAtOnce - 1))
  const secrets = await readSecrets(database.db, partnerId, key)
  expect(new Set(textOf(secrets)).size).toBe(secretsAtOnce)
  expect(secrets.map(({ expiresAt }) => expiresAt === null)).toEqual([true, false, false, false, false])
})

test('a changed key is detected; no key is needed while there are no secrets', async () => {
  await database.db.$client`delete from webhook_secrets`
  await checkEncryptionKey(database.db, Buffer.alloc(32, 2))
  await readSecrets(database.db, await make(), key)
  await checkEncryptionKey(database.db, key)
  await expect(checkEncryptionKey(database.db, Buffer.alloc(32, 2))).rejects.toThrow(DecryptionError)
})

test('older secrets are retired only if the current secret is unchanged', async () => {
  const partnerId = await make()
  const [first] = textOf(await readSecrets(database.db, partnerId, key))
  const [second] = textOf((await insertSecret(database.db, partnerId, key))!)
  expect(await endOlderSecrets(database.db, partnerId, key, first!)).toBe(false)
  expect(textOf(await readSecrets(database.db, partnerId, key))).toEqual([second, first])
  expect(await endOlderSecrets(database.db, partnerId, key, second!)).toBe(true)
  expect(textOf(await readSecrets(database.db, partnerId, key))).toEqual([second])
})
