import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { scopes } from './policy.ts'
import { curlOf, expiryAfter, hashToken, isTokenForm, makeToken, displayPrefix } from './token.ts'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const random = (count: number) => randomBytes(count)

/** Returns bytes that are the same in each run, and uniform enough for statistics. */
function repeatable() {
  let counter = 0
  return (count: number) =>
    Buffer.concat(
      Array.from({ length: Math.ceil(count / 32) }, () =>
        createHash('sha256').update(String(counter++)).digest(),
      ),
    ).subarray(0, count)
}

/** Parses base62 with the digits in the order 0-9, A-Z, a-z. */
function numberIn(digits: string): number {
  return [...digits].reduce((sum, digit) => sum * 62 + base62.indexOf(digit), 0)
}

describe('a new token', () => {
  test('consists of pd_, 30 random characters and 6 of their CRC32, all in base62', () => {
    for (let round = 0; round < 500; round++) {
      const token = makeToken(random)
      expect(token).toMatch(/^pd_[0-9A-Za-z]{36}$/)
      expect(numberIn(token.slice(33))).toBe(crc32(token.slice(3, 33)))
      expect(isTokenForm(token)).toBe(true)
    }
  })

  test('encodes its random bytes', () => {
    expect(makeToken((count) => Buffer.alloc(count))).toBe('pd_0000000000000000000000000000002C8GjS')
    expect(makeToken(() => Buffer.from(Array.from({ length: 64 }, (_, index) => index)))).toMatch(
      /^pd_0123456789ABCDEFGHIJKLMNOPQRST/,
    )
  })

  test('contains each character equally often, because bytes that favor some are skipped', () => {
    const counts = new Map<string, number>()
    const bytes = repeatable()
    for (let round = 0; round < 4000; round++)
      for (const character of makeToken(bytes).slice(3, 33))
        counts.set(character, (counts.get(character) ?? 0) + 1)
    const expected = (4000 * 30) / 62
    const chiSquare = [...base62].reduce(
      (sum, character) => sum + ((counts.get(character) ?? 0) - expected) ** 2 / expected,
      0,
    )
    // Exceeds 110 with a probability of one in ten thousand (61 degrees of freedom). Taking bytes modulo 62
    // would give over 800.
    expect(chiSquare).toBeLessThan(110)
  })
})

describe('the format of a token', () => {
  const token = makeToken(() =>
    Buffer.from('sixty-four bytes that stand for random ones in this single test!'),
  )

  test('detects every single mistyped character', () => {
    for (let at = 3; at < token.length; at++) {
      for (const character of base62) {
        if (character === token[at]) continue
        expect(
          isTokenForm(token.slice(0, at) + character + token.slice(at + 1)),
          `${character} at ${at}`,
        ).toBe(false)
      }
    }
  })

  test.each([
    ['nothing', ''],
    ['only the prefix', 'pd_'],
    ['another prefix', token.replace('pd_', 'PD_')],
    ['no prefix', token.slice(3)],
    ['a character less', token.slice(0, -1)],
    ['a character more', `${token}0`],
    ['a space before', ` ${token}`],
    ['a line after', `${token}\n`],
    ['a NUL after', `${token}\0`],
    ['two of them', token + token],
  ])('rejects tokens of %s', (_what, text) => expect(isTokenForm(text)).toBe(false))
})

test('stores only the SHA-256 and a prefix too short to guess the rest', () => {
  expect(hashToken('pd_0000000000000000000000000000002C8GjS')).toBe(
    createHash('sha256').update('pd_0000000000000000000000000000002C8GjS').digest('hex'),
  )
  expect(displayPrefix('pd_Abcdef7890')).toBe('pd_Abcdef')
})

describe('the expiry after a time span', () => {
  const now = new Date('2026-03-01T17:20:05.000Z')

  test.each([
    ['1m', '2026-03-01T17:21:05.000Z'],
    ['90m', '2026-03-01T18:50:05.000Z'],
    ['12h', '2026-03-02T05:20:05.000Z'],
    ['30d', '2026-03-31T17:20:05.000Z'],
    ['365d', '2027-03-01T17:20:05.000Z'],
    ['99999d', '2299-12-14T17:20:05.000Z'],
  ])('adds %s', (text, expiry) => expect(expiryAfter(text, now)?.toISOString()).toBe(expiry))

  test.each([...',0d,-1d,+1d,1,d,1s,1w,1D,1.5d,01d,1e3d,100000d,1 d, 1d,1d ,1d1h,never'.split(','), '1d\n'])(
    'rejects %j as a time span',
    (text) => expect(expiryAfter(text, now)).toBeNull(),
  )
})

test("the command to try a token uses only the token's scopes, if any allow a call", () => {
  expect(curlOf('https://deals.example.com', 'pd_x', scopes)).toBe(
    'curl -H "Authorization: Bearer pd_x" "https://deals.example.com/api/deals?size=1"',
  )
  expect(curlOf('https://deals.example.com', 'pd_x', ['webhooks:write', 'webhooks:read'])).toBe(
    'curl -H "Authorization: Bearer pd_x" "https://deals.example.com/api/webhook"',
  )
  expect(curlOf('https://deals.example.com', 'pd_x', ['files:read', 'webhooks:write'])).toBeNull()
})
