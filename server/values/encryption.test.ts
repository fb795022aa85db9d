import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DecryptionError, decryptFor, encryptFor, encryptionKeyFrom } from './encryption.ts'

const key = encryptionKeyFrom('the key of this installation')
const secret = `whsec_${randomBytes(32).toString('base64')}`
const encrypt = (text = secret, owner = 'partner 1', by = key) => encryptFor(owner, text, by, randomBytes)
const decrypt = (encrypted: string, owner = 'partner 1', by = key) => decryptFor(owner, encrypted, by)

test('decrypts what it encrypted', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (text, owner, password) => {
      const derived = encryptionKeyFrom(password)
      expect(decrypt(encrypt(text, owner, derived), owner, derived)).toBe(text)
    }),
  )
})

test('reveals nothing about the secret, and encrypts it differently each time', () => {
  const [one, other] = [encrypt(), encrypt()]
  expect(one).not.toBe(other)
  for (const encrypted of [one, other])
    expect(Buffer.from(encrypted, 'base64').includes('whsec_')).toBe(false)
})

test('fails to decrypt with another key or for another owner', () => {
  const encrypted = encrypt()
  const otherKey = encryptionKeyFrom('the key of this installatioN')
  expect(() => decrypt(encrypted, 'partner 1', otherKey)).toThrow(DecryptionError)
  for (const owner of ['partner 2', 'partner 11', ''])
    expect(() => decrypt(encrypted, owner)).toThrow(/ENCRYPTION_KEY/)
})

test('fails to decrypt if any bit is altered, removed or added', () => {
  const bytes = Buffer.from(encrypt(), 'base64')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const altered = Buffer.from(bytes)
    altered[bit >> 3]! ^= 1 << (bit & 7)
    expect(() => decrypt(altered.toString('base64')), `bit ${bit}`).toThrow(DecryptionError)
  }
  for (let length = 0; length < bytes.length; length++)
    expect(() => decrypt(bytes.subarray(0, length).toString('base64')), `${length} bytes`).toThrow(
      DecryptionError,
    )
  expect(() => decrypt(Buffer.concat([bytes, Buffer.from('x')]).toString('base64'))).toThrow(DecryptionError)
})

test('the derived key depends on the whole installation key, and always has 32 bytes', () => {
  expect(encryptionKeyFrom('a')).toHaveLength(32)
  expect(encryptionKeyFrom('a').equals(encryptionKeyFrom('a'))).toBe(true)
  expect(encryptionKeyFrom('a').equals(encryptionKeyFrom('b'))).toBe(false)
})
