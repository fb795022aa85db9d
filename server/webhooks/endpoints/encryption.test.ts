import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Unopenable, seal, sealingKeyFrom, unseal } from './encryption.ts'
import { makeSecret } from '../signature.ts'

const key = sealingKeyFrom('the key of this installation')
const secret = makeSecret(randomBytes)

test('what is sealed opens again, whatever it is', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.string(), (text, partnerId, encryptionKey) => {
    const derived = sealingKeyFrom(encryptionKey)
    expect(unseal(seal(text, partnerId, derived, randomBytes), partnerId, derived)).toBe(text)
  }))
})

test('nothing of the secret can be read in it, and two seals of one secret differ', () => {
  const [one, other] = [seal(secret, 1, key, randomBytes), seal(secret, 1, key, randomBytes)]
  expect(one).not.toBe(other)
  for (const sealed of [one, other]) expect(Buffer.from(sealed, 'base64').includes('whsec_')).toBe(false)
})

test('it does not open under another key, nor for another partner', () => {
  const sealed = seal(secret, 1, key, randomBytes)
  expect(() => unseal(sealed, 1, sealingKeyFrom('the key of this installatioN'))).toThrow(Unopenable)
  expect(() => unseal(sealed, 2, key)).toThrow(Unopenable)
  expect(() => unseal(sealed, 11, key)).toThrow(/ENCRYPTION_KEY/)
})

test('it does not open with any bit altered, cut off or added', () => {
  const bytes = Buffer.from(seal(secret, 1, key, randomBytes), 'base64')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const altered = Buffer.from(bytes)
    altered[bit >> 3]! ^= 1 << (bit & 7)
    expect(() => unseal(altered.toString('base64'), 1, key), `bit ${bit}`).toThrow(Unopenable)
  }
  for (let length = 0; length < bytes.length; length++) {
    expect(() => unseal(bytes.subarray(0, length).toString('base64'), 1, key), `${length} bytes`).toThrow(Unopenable)
  }
  expect(() => unseal(Buffer.concat([bytes, Buffer.from('x')]).toString('base64'), 1, key)).toThrow(Unopenable)
})

test('the key depends on all of the installation’s key, and is always 32 bytes', () => {
  expect(sealingKeyFrom('a')).toHaveLength(32)
  expect(sealingKeyFrom('a').equals(sealingKeyFrom('a'))).toBe(true)
  expect(sealingKeyFrom('a').equals(sealingKeyFrom('b'))).toBe(false)
})
