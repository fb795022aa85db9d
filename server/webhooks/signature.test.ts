import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { makeSecret, sign, timestampOf } from './signature.ts'

// Verifies signatures as a partner's system would, using the package by the authors of the standard.

const at = new Date()
const id = '0198c1f0-5f9e-4a8e-9a6e-111111111111'
const headers = (body: Buffer, secrets: string[]) => ({
  'webhook-id': id,
  'webhook-timestamp': timestampOf(at),
  'webhook-signature': sign({ id, at, body }, secrets),
})
const checks = (secret: string, body: Buffer, sent: Record<string, string>) => {
  try {
    new Webhook(secret).verify(body, sent, { jsonParse: false })
    return true
  } catch {
    return false
  }
}

test('a secret is whsec_ and 32 random bytes', () => {
  const secret = makeSecret(randomBytes)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(makeSecret((count) => Buffer.alloc(count, 7))).toBe(
    `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  )
  expect(makeSecret(randomBytes)).not.toBe(secret)
})

test('matches the Standard Webhooks example, byte for byte', () => {
  // Example from the standard's own libraries.
  const body = Buffer.from('{"test": 2432232314}')
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: new Date(1614265330_000), body }
  expect(sign(message, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  )
})

test('uses whole seconds, never in the future', () => {
  expect(timestampOf(new Date(1_614_265_330_999))).toBe('1614265330')
})

describe('signature verification', () => {
  test('accepts any body signed with its secret', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.constantFrom('{"owner":"Zoë 🌞 李"}', '\u2028"\u0000', '{"a":"' + 'é'.repeat(50_000) + '"}'),
    )
    fc.assert(
      fc.property(text, fc.uint8Array({ minLength: 32, maxLength: 32 }), (plain, bytes) => {
        const secret = makeSecret(() => bytes)
        const body = Buffer.from(plain)
        expect(checks(secret, body, headers(body, [secret]))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('accepts either of two secrets after a rotation; together, the newest comes first', () => {
    const [older, newer, strange] = [
      makeSecret(randomBytes),
      makeSecret(randomBytes),
      makeSecret(randomBytes),
    ]
    const body = Buffer.from('{"type":"deal.updated"}')
    const sent = headers(body, [newer, older])
    expect(sent['webhook-signature'].split(' ')).toEqual([
      headers(body, [newer])['webhook-signature'],
      headers(body, [older])['webhook-signature'],
    ])
    expect([newer, older, strange].map((secret) => checks(secret, body, sent))).toEqual([true, true, false])
  })
})
