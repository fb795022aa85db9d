import { describe, expect, test } from 'vitest'
import { type Zone, utc } from '../values/zone.ts'
import { type TokenFacts, endAfter, endOfDay, endOfReplaced, endOfSuccessor, stateOf } from './expiry.ts'

const now = new Date('2026-03-01T17:20:05.000Z')
const dayMs = 86_400_000
const inMs = (ms: number) => new Date(now.getTime() + ms)

describe('the token state', () => {
  const fresh: TokenFacts = { expiresAt: null, revokedAt: null, replacedById: null, isSuspended: false }

  test.each<[string, Partial<TokenFacts>, string]>([
    ['that never expires', {}, 'works'],
    ['that expires in more than 7 days', { expiresAt: inMs(7 * dayMs + 1) }, 'works'],
    ['that expires in 7 days', { expiresAt: inMs(7 * dayMs) }, 'expires-soon'],
    ['that expires in a moment', { expiresAt: inMs(1) }, 'expires-soon'],
    ['that expires now', { expiresAt: now }, 'expired'],
    ['that has expired', { expiresAt: inMs(-1) }, 'expired'],
    ['that has been replaced', { expiresAt: inMs(dayMs), replacedById: 7 }, 'replaced'],
    ['that has been replaced, after its grace period', { expiresAt: inMs(-1), replacedById: 7 }, 'expired'],
    ['that is revoked', { revokedAt: inMs(-1) }, 'revoked'],
    ['that is both revoked and expired', { revokedAt: inMs(-1), expiresAt: inMs(-2) }, 'revoked'],
    [
      'whose partner is suspended',
      { isSuspended: true, expiresAt: inMs(dayMs), replacedById: 7 },
      'suspended',
    ],
    ['that has expired and whose partner is suspended', { isSuspended: true, expiresAt: now }, 'expired'],
  ])('is correct for a token %s', (_what, facts, state) =>
    expect(stateOf({ ...fresh, ...facts }, now)).toBe(state),
  )
})

describe('a new token expires', () => {
  test('after a time span, or never', () => {
    expect(endAfter('30d', now)).toEqual(inMs(30 * dayMs))
    expect(endAfter('never', now)).toBeNull()
    for (const text of ['', 'now', '1y', '0d', 'Never']) expect(endAfter(text, now)).toBeUndefined()
  })

  test('at the end of a day, between today and ten years ahead', () => {
    expect(endOfDay('2026-03-01', utc, now)).toEqual(new Date('2026-03-02T00:00:00Z'))
    expect(endOfDay('2026-03-01', 'America/Los_Angeles' as Zone, now)).toEqual(
      new Date('2026-03-02T08:00:00Z'),
    )
    expect(endOfDay('2028-02-29', utc, now)).toEqual(new Date('2028-03-01T00:00:00Z'))
    expect(endOfDay('2036-03-01', utc, now)).toBeInstanceOf(Date)
    for (const day of ['2026-02-28', '0001-01-01', '2036-04-01', '9999-12-31', 'no day'])
      expect(endOfDay(day, utc, now)).toBeUndefined()
  })

  test('after the same lifetime as the token it replaces', () => {
    const createdAt = inMs(-80 * dayMs)
    expect(endOfSuccessor({ createdAt, expiresAt: inMs(10 * dayMs) }, now)).toEqual(inMs(90 * dayMs))
    expect(endOfSuccessor({ createdAt, expiresAt: null }, now)).toBeNull()
  })
})

describe('a replaced token expires', () => {
  test.each([
    ['now', 0],
    ['1h', 3_600_000],
    ['24h', dayMs],
    ['7d', 7 * dayMs],
  ])('after a grace of %s', (grace, ms) => expect(endOfReplaced(null, grace, now)).toEqual(inMs(ms)))

  test('never later than it would have expired anyway', () => {
    expect(endOfReplaced(inMs(dayMs - 1), '24h', now)).toEqual(inMs(dayMs - 1))
    expect(endOfReplaced(inMs(dayMs + 1), '24h', now)).toEqual(inMs(dayMs))
  })

  test('and rejects any other grace period', () => {
    for (const grace of ['', 'never', '0m', '-1h', '1w'])
      expect(endOfReplaced(inMs(1), grace, now)).toBeNull()
  })
})
