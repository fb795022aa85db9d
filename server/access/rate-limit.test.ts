import type { OutgoingHttpHeaders } from 'node:http'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TenantScope } from '../accounts/partner.ts'
import { ApiError } from '../errors.ts'
import { rateWindowMs } from '../tokens/policy.ts'
import { everyone } from './actor.ts'
import {
  type Allowance,
  type LeaseStore,
  type RateLimit,
  RateLeases,
  addLease,
  isUsedUp,
  keptMost,
  leaseSize,
  makeRateLimit as makeRateLimitOn,
  newAllowance,
  reclaim,
  remainingOf,
  renew,
  take,
} from './rate-limit.ts'

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-03-01T17:20:05Z') }))
afterEach(() => void vi.useRealTimers())

/** Returns an in-memory lease store for a single process. */
function makeStore(): LeaseStore {
  const windows = new Map<string, { endsAt: number; taken: number }>()
  return {
    lease: async (asked) =>
      asked.map(({ owner, max, want }) => {
        const now = Date.now()
        const known = windows.get(owner)
        const kept =
          known !== undefined && known.endsAt > now ? known : { endsAt: now + rateWindowMs, taken: 0 }
        windows.set(owner, kept)
        const granted = Math.min(want, max - kept.taken)
        kept.taken += granted
        const { taken, endsAt } = kept
        return { owner, granted, unleased: max - taken, window: String(endsAt), resetMs: endsAt - now }
      }),
    release: async () => {},
  }
}

const makeRateLimit = (perMinute: number) =>
  makeRateLimitOn(perMinute, new RateLeases(makeStore(), { warn() {} }))

/**
 * Sends a request with a token of the partner, or with an internal token if `partnerId` is 0. Returns the
 * headers and the error.
 */
async function ask(limit: RateLimit, tokenId: number, partnerId = 0) {
  const headers: OutgoingHttpHeaders = {}
  const refusal = await Promise.try(() =>
    limit({ tokenId, tenant: partnerId === 0 ? everyone : (partnerId as TenantScope) }, headers),
  ).then(
    () => null,
    (error: unknown) => error as ApiError,
  )
  return { headers, refusal }
}

test('limits requests per minute and returns the number remaining', async () => {
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

test('rejects further requests until the minute is over', async () => {
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

test('each token has its own window', async () => {
  const limit = makeRateLimit(1)
  await ask(limit, 1)
  expect((await ask(limit, 2)).refusal).toBeNull()
  expect((await ask(limit, 1)).refusal).not.toBeNull()
})

test('a limit of 0 means no limit, without headers', async () => {
  const limit = makeRateLimit(0)
  for (let round = 0; round < 1000; round++)
    expect(await ask(limit, 1)).toEqual({ headers: {}, refusal: null })
})

describe('the tokens of one partner', () => {
  const [acme, other] = [7, 8]

  test('share three times the limit of one token, so more tokens do not mean more requests', async () => {
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

  test('report the stricter of their own and the shared limit', async () => {
    const limit = makeRateLimit(2)
    const remaining = async (tokenId: number) => {
      const { headers } = await ask(limit, tokenId, acme)
      return [headers['X-RateLimit-Limit'], headers['X-RateLimit-Remaining']]
    }
    expect(await remaining(1)).toEqual([2, 1])
    expect(await remaining(1)).toEqual([2, 0])
    expect(await remaining(2)).toEqual([2, 1])
    expect(await remaining(2)).toEqual([2, 0])
    // The partner has one of six requests left, and so does this token.
    expect(await remaining(3)).toEqual([2, 1])
    expect(await remaining(4)).toEqual([6, 0])
  })

  test('are not charged for rejected requests', async () => {
    const limit = makeRateLimit(1)
    for (let round = 0; round < 10; round++) await ask(limit, 1, acme)
    expect((await ask(limit, 2, acme)).refusal).toBeNull()
    expect((await ask(limit, 3, acme)).refusal).toBeNull()
    expect((await ask(limit, 4, acme)).refusal).not.toBeNull()
  })

  test('are counted individually when concurrent', async () => {
    const limit = makeRateLimit(2)
    const asked = await Promise.all(Array.from({ length: 30 }, (_, index) => ask(limit, index, acme)))
    expect(asked.filter(({ refusal }) => refusal === null)).toHaveLength(6)
  })

  test('are limited, unlike internal tokens, which only operators create', async () => {
    const limit = makeRateLimit(1)
    for (let tokenId = 1; tokenId <= 20; tokenId++) expect((await ask(limit, tokenId)).refusal).toBeNull()
  })
})

/** Simulates processes that lease from the same window; `taken` is the total of all leases. */
function makeProcesses(count: number, max: number) {
  const all = Array.from({ length: count }, () => newAllowance(max, 0))
  let taken = 0
  let asked = 0
  const lease = (allowance: Allowance) => {
    asked++
    const granted = Math.max(0, Math.min(leaseSize(allowance, 1), max - taken))
    taken += granted
    addLease(allowance, { granted, unleased: max - taken, window: 'a', resetMs: rateWindowMs }, 0)
  }
  return {
    asked: () => asked,
    /** Counts a request in a process. Returns true if the request is allowed. */
    count(process: number): boolean {
      const allowance = all[process]!
      if (take(allowance, 0)) return true
      if (isUsedUp(allowance, 0)) return false
      lease(allowance)
      return take(allowance, 0)
    },
  }
}

/** Sends requests to processes. Returns the number of allowed requests and the number of lease requests. */
function sendAll(max: number, processes: number[], count: number) {
  const group = makeProcesses(count, max)
  const allowed = processes.filter((process) => group.count(process)).length
  return { allowed, asked: group.asked() }
}

test('processes together never exceed the limit, and each leaves at most a hundredth unused, in any order', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3000 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
      (max, stream) => {
        const processes = [...stream.take(2 * max + 400)]
        const { allowed } = sendAll(max, processes, 4)
        expect(allowed).toBeLessThanOrEqual(max)
        expect(allowed).toBeGreaterThanOrEqual(max - 4 * keptMost(max))
      },
    ),
    { numRuns: 60 },
  )
})

test.each([
  [600, 1],
  [600, 3],
  [1_000_000, 3],
])('a limit of %d is leased by %d processes in few slices', (max, count) => {
  const processes = Array.from({ length: Math.min(max, 200_000) * 2 }, (_, at) => at % count)
  expect(sendAll(max, processes, count).asked).toBeLessThanOrEqual(90 * count)
})

test('a single process reports the exact remainder', () => {
  const allowance = newAllowance(600, 0)
  for (let left = 599; left >= 0; left--) {
    if (!take(allowance, 0)) {
      const granted = Math.min(leaseSize(allowance, 1), allowance.unleased)
      addLease(allowance, { granted, unleased: allowance.unleased - granted, window: 'a', resetMs: 1 }, 0)
      expect(take(allowance, 0)).toBe(true)
    }
    expect(remainingOf(allowance, 0)).toBe(left)
  }
  expect(isUsedUp(allowance, 0)).toBe(true)
})

test('returns unused requests to the store', () => {
  const allowance = newAllowance(600, 0)
  addLease(allowance, { granted: 20, unleased: 500, window: 'a', resetMs: rateWindowMs }, 0)
  for (let count = 0; count < 5; count++) take(allowance, 0)
  expect(reclaim(allowance)).toBe(15)
  expect(remainingOf(allowance, 0)).toBe(515)
  expect(take(allowance, 0)).toBe(false)
  expect(isUsedUp(allowance, 0)).toBe(false)
  expect(leaseSize(allowance, 0)).toBe(keptMost(600))
})

test('a single process allows exactly the limit, then leases the requests it counted without a lease', () => {
  const allowance = newAllowance(10, 0)
  allowance.aloneUntil = 1000
  for (let count = 0; count < 10; count++) expect(take(allowance, 999)).toBe(true)
  expect(take(allowance, 999)).toBe(false)
  expect([isUsedUp(allowance, 999), remainingOf(allowance, 999)]).toEqual([true, 0])
  expect(take(allowance, 1000)).toBe(false)
  expect(isUsedUp(allowance, 1000)).toBe(false)
  expect(leaseSize(allowance, 1)).toBe(11)
})

test('a window ends on time, or earlier if the database says so', () => {
  const allowance = newAllowance(10, 0)
  addLease(allowance, { granted: 3, unleased: 0, window: 'a', resetMs: 20_000 }, 0)
  take(allowance, 0)
  renew(allowance, 19_999)
  expect(allowance).toMatchObject({ used: 1, leased: 3 })
  addLease(allowance, { granted: 2, unleased: 8, window: 'b', resetMs: 60_000 }, 19_999)
  expect(allowance).toMatchObject({ used: 0, leased: 2, endsAt: 79_999 })
  renew(allowance, 79_999)
  expect(allowance).toMatchObject({ used: 0, leased: 0, unleased: 10, window: null })
})

test('the first request waits half a second for a lease, and later requests do not wait', async () => {
  const leases = new RateLeases(
    { lease: () => new Promise(() => {}), release: async () => {} },
    { warn() {} },
  )
  let answered = 0
  const send = () => leases.count('token 1', 10).then(() => void answered++)
  const first = send()
  await vi.advanceTimersByTimeAsync(499)
  expect(answered).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  await first
  await send()
  expect(answered).toBe(2)
})
