import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DecryptionError } from '../../values/encryption.ts'
import { makeSecret } from '../signature.ts'
import { encrypt, encryptionKeyFrom, decrypt } from './encryption.ts'

const key = encryptionKeyFrom('the key of this installation')
const secret = makeSecret(randomBytes)

test('decrypts what it encrypted', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      fc.string(),
      (text, partnerId, encryptionKey) => {
        const derived = encryptionKeyFrom(encryptionKey)
        expect(decrypt(encrypt(text, partnerId, derived, randomBytes), partnerId, derived)).toBe(text)
      },
    ),
  )
})

test('reveals nothing about the secret, and encrypts it differently each time', () => {
  const [one, other] = [encrypt(secret, 1, key, randomBytes), encrypt(secret, 1, key, randomBytes)]
  expect(one).not.toBe(other)
  for (const encrypted of [one, other])
    expect(Buffer.from(encrypted, 'base64').includes('whsec_')).toBe(false)
})

test('fails to decrypt with another key or for another partner', () => {
  const encrypted = encrypt(secret, 1, key, randomBytes)
  expect(() => decrypt(encrypted, 1, encryptionKeyFrom('the key of this installatioN'))).toThrow(
    DecryptionError,
  )
  expect(() => decrypt(encrypted, 2, key)).toThrow(DecryptionError)
  expect(() => decrypt(encrypted, 11, key)).toThrow(/ENCRYPTION_KEY/)
})

test('fails to decrypt if any bit is altered, removed or added', () => {
  const bytes = Buffer.from(encrypt(secret, 1, key, randomBytes), 'base64')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const altered = Buffer.from(bytes)
    altered[bit >> 3]! ^= 1 << (bit & 7)
    expect(() => decrypt(altered.toString('base64'), 1, key), `bit ${bit}`).toThrow(DecryptionError)
  }
  for (let length = 0; length < bytes.length; length++) {
    expect(() => decrypt(bytes.subarray(0, length).toString('base64'), 1, key), `${length} bytes`).toThrow(
      DecryptionError,
    )
  }
  expect(() => decrypt(Buffer.concat([bytes, Buffer.from('x')]).toString('base64'), 1, key)).toThrow(
    DecryptionError,
  )
})

test('the derived key depends on the whole installation key, and always has 32 bytes', () => {
  expect(encryptionKeyFrom('a')).toHaveLength(32)
  expect(encryptionKeyFrom('a').equals(encryptionKeyFrom('a'))).toBe(true)
  expect(encryptionKeyFrom('a').equals(encryptionKeyFrom('b'))).toBe(false)
})
