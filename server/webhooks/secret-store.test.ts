import { expect, test } from 'vitest'
import { encryptionKey as key, openQueue } from '#e2e/dispatchers.ts'
import { DecryptionError } from '../values/encryption.ts'
import { secretOverlapMs } from './policy.ts'
import {
  checkEncryptionKey,
  endOlderSecrets,
  readSecrets,
  insertSecret,
  secretsAtOnce,
} from './secret-store.ts'

const { db, makePartner: make } = await openQueue()
const textOf = (secrets: { secret: string }[]) => secrets.map(({ secret }) => secret)

test('a partner has one secret, which every read returns, even if first reads are concurrent', async () => {
  const partnerId = await make()
  const looks = await Promise.all(Array.from({ length: 8 }, () => readSecrets(db, partnerId, key)))
  expect(new Set(looks.flatMap(textOf)).size).toBe(1)
  expect(looks[0]).toMatchObject([{ secret: expect.stringMatching(/^whsec_/) as string, expiresAt: null }])
  expect(textOf(await readSecrets(db, await make(), key))).not.toEqual(textOf(looks[0]!))
})

test('a secret is stored encrypted and bound to its partner', async () => {
  const [partnerId, other] = [await make(), await make()]
  const [{ secret }] = (await readSecrets(db, partnerId, key)) as unknown as [{ secret: string }]
  await readSecrets(db, other, key)
  const [row] = await db.$client<
    { encrypted: string }[]
  >`select encrypted from webhook_secrets where partner_id = ${partnerId}`
  expect(Buffer.from(row!.encrypted, 'base64').includes(secret.slice(6, 20))).toBe(false)
  await db.$client`update webhook_secrets set encrypted = ${row!.encrypted} where partner_id = ${other}`
  await expect(readSecrets(db, other, key)).rejects.toThrow(DecryptionError)
  await db.$client`delete from webhook_secrets where partner_id = ${other}`
})

test('a rotation puts a new secret first, and the previous secret stays valid for 24 hours', async () => {
  const partnerId = await make()
  const before = await readSecrets(db, partnerId, key)
  const after = (await insertSecret(db, partnerId, key))!
  expect(after).toHaveLength(2)
  expect(textOf(after).slice(1)).toEqual(textOf(before))
  expect(textOf(await readSecrets(db, partnerId, key))).toEqual(textOf(after))
  expect(secretOverlapMs).toBe(24 * 60 * 60 * 1000)
  const hours = (after[1]!.expiresAt!.getTime() - after[0]!.createdAt.getTime()) / 3_600_000
  expect(hours).toBeCloseTo(24, 1)
  await db.$client`update webhook_secrets set expires_at = now() where partner_id = ${partnerId} and expires_at is not null`
  expect(textOf(await readSecrets(db, partnerId, key))).toEqual(textOf(after).slice(0, 1))
})

test('concurrent rotations yield one secret each, of which one is current, within the maximum number', async () => {
  const partnerId = await make()
  const results = await Promise.all(Array.from({ length: 7 }, () => insertSecret(db, partnerId, key)))
  expect(results.filter((result) => result === null)).toHaveLength(7 - (secretsAtOnce - 1))
  const secrets = await readSecrets(db, partnerId, key)
  expect(new Set(textOf(secrets)).size).toBe(secretsAtOnce)
  expect(secrets.map(({ expiresAt }) => expiresAt === null)).toEqual([true, false, false, false, false])
})

test('a changed key is detected; no key is needed while there are no secrets', async () => {
  await db.$client`delete from webhook_secrets`
  await checkEncryptionKey(db, Buffer.alloc(32, 2))
  await readSecrets(db, await make(), key)
  await checkEncryptionKey(db, key)
  await expect(checkEncryptionKey(db, Buffer.alloc(32, 2))).rejects.toThrow(DecryptionError)
})

test('older secrets are retired only if the current secret is unchanged', async () => {
  const partnerId = await make()
  const [first] = textOf(await readSecrets(db, partnerId, key))
  const [second] = textOf((await insertSecret(db, partnerId, key))!)
  expect(await endOlderSecrets(db, partnerId, key, first!)).toBe(false)
  expect(textOf(await readSecrets(db, partnerId, key))).toEqual([second, first])
  expect(await endOlderSecrets(db, partnerId, key, second!)).toBe(true)
  expect(textOf(await readSecrets(db, partnerId, key))).toEqual([second])
})
