import type { OutgoingHttpHeaders } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type LeaseStore, RateLeases } from '../access/rate-leases.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { ApiError } from '../protocol/errors.ts'
import { windowMs } from '../tokens/rate.ts'
import { type RateLimit, makeRateLimit as makeRateLimitOn } from './rate-limit.ts'

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-03-01T17:20:05Z') }))
afterEach(() => void vi.useRealTimers())

/** What one process leases from, in memory. */
function makeStore(): LeaseStore {
  const windows = new Map<string, { endsAt: number; taken: number }>()
  return {
    lease: async (asked) =>
      asked.map(({ owner, max, want }) => {
        const now = Date.now()
        const known = windows.get(owner)
        const kept = known !== undefined && known.endsAt > now ? known : { endsAt: now + windowMs, taken: 0 }
        windows.set(owner, kept)
        const granted = Math.min(want, max - kept.taken)
        kept.taken += granted
        const { taken, endsAt } = kept
        return { owner, granted, unleased: max - taken, window: String(endsAt), resetMs: endsAt - now }
      }),
    giveBack: async () => {},
  }
}

const makeRateLimit = (perMinute: number) =>
  makeRateLimitOn(perMinute, new RateLeases(makeStore(), { warn() {} }))

/** Sends a request. Returns the headers and the rejection; without a partner the token is internal. */
async function ask(limit: RateLimit, tokenId: number, partnerId = 0) {
  const headers: OutgoingHttpHeaders = {}
  const refusal = await Promise.try(() => limit({ tokenId, tenant: partnerId as TenantScope }, headers)).then(
    () => null,
    (error: unknown) => error as ApiError,
  )
  return { headers, refusal }
}

test('limits requests per minute, and returns what is left', async () => {
  const limit = makeRateLimit(2)
  expect(await ask(limit, 1)).toEqual({
    headers: { 'X-RateLimit-Limit': 2, 'X-RateLimit-Remaining': 1, 'X-RateLimit-Reset': 60 },
    refusal: null,
  })
  vi.advanceTimersByTime(20_000)
  expect(await ask(limit, 1)).toEqual({
    headers: { 'X-RateLimit-Limit': 2, 'X-RateLimit-Remaining': 0, 'X-RateLimit-Reset': 40 },
    refusal: null,
  })
})

test('past that it is refused until the minute is over', async () => {
  const limit = makeRateLimit(1)
  await ask(limit, 1)
  const { headers, refusal } = await ask(limit, 1)
  expect(headers).toEqual({ 'X-RateLimit-Limit': 1, 'X-RateLimit-Remaining': 0, 'X-RateLimit-Reset': 60 })
  expect(refusal).toBeInstanceOf(ApiError)
  expect(refusal).toMatchObject({ code: 'TOO_MANY_REQUESTS', headers: { 'Retry-After': '60' } })
  vi.advanceTimersByTime(59_000)
  expect((await ask(limit, 1)).refusal).toMatchObject({ headers: { 'Retry-After': '1' } })
  vi.advanceTimersByTime(1_001)
  expect((await ask(limit, 1)).refusal).toBeNull()
})

test('each token has a minute of its own', async () => {
  const limit = makeRateLimit(1)
  await ask(limit, 1)
  expect((await ask(limit, 2)).refusal).toBeNull()
  expect((await ask(limit, 1)).refusal).not.toBeNull()
})

test('a limit of 0 is none, without headers', async () => {
  const limit = makeRateLimit(0)
  for (let round = 0; round < 1000; round++)
    expect(await ask(limit, 1)).toEqual({ headers: {}, refusal: null })
})

describe('the tokens of one partner', () => {
  const [acme, other] = [7, 8]

  test('share three times the rate of one: more tokens are no way to more requests', async () => {
    const limit = makeRateLimit(2)
    for (const tokenId of [1, 1, 2, 2, 3, 3]) expect((await ask(limit, tokenId, acme)).refusal).toBeNull()
    vi.advanceTimersByTime(15_000)
    for (const tokenId of [4, 5, 6]) {
      const { headers, refusal } = await ask(limit, tokenId, acme)
      expect(headers).toEqual({ 'X-RateLimit-Limit': 6, 'X-RateLimit-Remaining': 0, 'X-RateLimit-Reset': 45 })
      expect(refusal).toMatchObject({
        code: 'TOO_MANY_REQUESTS',
        message: 'The partner has used up its requests for this minute',
        headers: { 'Retry-After': '45' },
      })
    }
    expect((await ask(limit, 7, other)).refusal).toBeNull()
    vi.advanceTimersByTime(45_001)
    expect((await ask(limit, 4, acme)).refusal).toBeNull()
  })

  test('report the stricter limit', async () => {
    const limit = makeRateLimit(2)
    const remaining = async (tokenId: number) => {
      const { headers } = await ask(limit, tokenId, acme)
      return [headers['X-RateLimit-Limit'], headers['X-RateLimit-Remaining']]
    }
    expect(await remaining(1)).toEqual([2, 1])
    expect(await remaining(1)).toEqual([2, 0])
    expect(await remaining(2)).toEqual([2, 1])
    expect(await remaining(2)).toEqual([2, 0])
    // Of the six of the partner one is left, which is what this token has left too.
    expect(await remaining(3)).toEqual([2, 1])
    expect(await remaining(4)).toEqual([6, 0])
  })

  test('are not used up by rejected requests', async () => {
    const limit = makeRateLimit(1)
    for (let round = 0; round < 10; round++) await ask(limit, 1, acme)
    expect((await ask(limit, 2, acme)).refusal).toBeNull()
    expect((await ask(limit, 3, acme)).refusal).toBeNull()
    expect((await ask(limit, 4, acme)).refusal).not.toBeNull()
  })

  test('at once are counted one by one', async () => {
    const limit = makeRateLimit(2)
    const asked = await Promise.all(Array.from({ length: 30 }, (_, index) => ask(limit, index, acme)))
    expect(asked.filter(({ refusal }) => refusal === null)).toHaveLength(6)
  })

  test("do not bound the installer's own, which only the operator makes", async () => {
    const limit = makeRateLimit(1)
    for (let tokenId = 1; tokenId <= 20; tokenId++) expect((await ask(limit, tokenId)).refusal).toBeNull()
  })
})
