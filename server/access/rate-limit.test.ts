import type { OutgoingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '#db/client.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { ApiError } from '../errors.ts'
import { rateWindowMs } from '../tokens/policy.ts'
import { leaseRequests, removeEndedWindows, returnRequests } from '../tokens/rate-store.ts'
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
  renew,
  take,
} from './rate-limit.ts'

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-03-01T17:20:05Z') }))
afterEach(() => void vi.useRealTimers())

/** Returns an in-memory lease store for a single process. */
function makeStore(): LeaseStore {
  const windows = new Map<string, { endsAt: number; taken: number }>()
  return {
    lease: async (requests) =>
      requests.map(({ owner, max, want }) => {
        const now = Date.now()
        const known = windows.get(owner)
        const window =
          known !== undefined && known.endsAt > now ? known : { endsAt: now + rateWindowMs, taken: 0 }
        windows.set(owner, window)
        const granted = Math.min(want, max - window.taken)
        window.taken += granted
        const { taken, endsAt } = window
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

test('limits requests per minute, returns the number remaining, and rejects more until the minute is over', async () => {
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
  const { headers, refusal } = await ask(limit, 1)
  expect(headers).toEqual({ 'X-RateLimit-Limit': 2, 'X-RateLimit-Remaining': 0, 'X-RateLimit-Reset': 40 })
  expect(refusal).toMatchObject({ code: 'TOO_MANY_REQUESTS', headers: { 'Retry-After': '40' } })
  vi.advanceTimersByTime(39_000)
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

  test('are limited, unlike internal tokens, which only operators create', async () => {
    const limit = makeRateLimit(1)
    for (let tokenId = 1; tokenId <= 20; tokenId++) expect((await ask(limit, tokenId)).refusal).toBeNull()
  })
})

/** Simulates processes that lease from the same window; `taken` is the total of all leases. */
function makeProcesses(count: number, max: number) {
  const all = Array.from({ length: count }, () => newAllowance(max, 0))
  let leased = 0
  const lease = (allowance: Allowance) => {
    const granted = Math.max(0, Math.min(leaseSize(allowance, 1), max - leased))
    leased += granted
    addLease(allowance, { granted, unleased: max - leased, window: 'a', resetMs: rateWindowMs }, 0)
  }
  return {
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

test('processes together never exceed the limit, and each leaves at most a hundredth unused, in any order', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3000 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
      (max, stream) => {
        const processes = [...stream.take(2 * max + 400)]
        const group = makeProcesses(4, max)
        const allowed = processes.filter((process) => group.count(process)).length
        expect(allowed).toBeLessThanOrEqual(max)
        expect(allowed).toBeGreaterThanOrEqual(max - 4 * keptMost(max))
      },
    ),
    { numRuns: 60 },
  )
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

// Several counters stand in for several processes; each counter has its own connections.
describe('between processes', () => {
  const max = 600

  let database: TestDatabase
  const pools: Database[] = []
  beforeAll(async () => {
    database = await createTestDatabase()
    pools.push(...[1, 2, 3].map(() => openDatabase(database.url, 2)))
  })
  afterAll(async () => {
    await Promise.all(pools.map(({ $client }) => $client.end()))
    await database.drop()
  })

  let statements = 0
  let warnings: string[] = []
  let processes: RateLeases[] = []
  beforeEach(async () => {
    vi.useRealTimers()
    await database.db.$client`truncate rate_windows`
    statements = 0
    warnings = []
    // On a slow machine, a short timeout would make processes count without leases.
    processes = pools.map((db) => start(db, 60_000))
  })
  afterEach(() => Promise.all(processes.map((process) => process.stop())))

  function start(db: Database, timeoutMs?: number): RateLeases {
    const store = {
      lease: (requests: Parameters<typeof leaseRequests>[1]) => {
        statements++
        return leaseRequests(db, requests)
      },
      release: (unused: Parameters<typeof returnRequests>[1]) => {
        statements++
        return returnRequests(db, unused)
      },
    }
    const warn = (_fields: unknown, message?: string) => void warnings.push(message!)
    return new RateLeases(store, { warn }, timeoutMs)
  }

  /**
   * Sends `count` requests with one token to the processes in turn, `atOnce` at a time. Returns how many are
   * allowed.
   */
  async function send(count: number, to = processes, atOnce = 12): Promise<number> {
    let allowed = 0
    for (let sent = 0; sent < count; sent += atOnce) {
      const answers = await Promise.all(
        Array.from({ length: atOnce }, (_, at) => to[(sent + at) % to.length]!.count('token 1', max)),
      )
      allowed += answers.filter(({ isOver }) => !isOver).length
    }
    return allowed
  }

  const countTaken = async () =>
    (await database.db.$client<{ taken: number }[]>`select taken::integer from rate_windows`)[0]!.taken

  test('a limit applies across all processes, with one statement per ten requests or so', async () => {
    const allowed = await send(3 * max)
    expect(allowed).toBeLessThanOrEqual(max)
    expect(allowed).toBeGreaterThanOrEqual(max * 0.9)
    expect(statements).toBeLessThan(150)
  })

  test('a process that starts after the limit is used up learns about it immediately', async () => {
    expect(await send(2 * max, processes.slice(0, 1))).toBe(max)
    expect(await send(12, processes.slice(1, 2))).toBe(0)
    const { isOver, remaining, resetMs } = await processes[2]!.count('token 1', max)
    expect({ isOver, remaining }).toEqual({ isOver: true, remaining: 0 })
    expect(resetMs).toBeGreaterThan(30_000)
    expect(resetMs).toBeLessThanOrEqual(60_000)
  })

  test('one process can use the remaining limit if the others stop or are idle', async () => {
    let allowed = await send(300)
    await processes[0]!.stop()
    await expect.poll(countTaken).toBeLessThanOrEqual(300 + 2 * 6)
    allowed += await send(2 * max, processes.slice(1, 2))
    expect(allowed).toBeLessThanOrEqual(max)
    expect(allowed).toBeGreaterThanOrEqual(max - 6)
    expect(warnings).toEqual([])
  })

  test('a killed process loses at most its leased slice', async () => {
    let allowed = await send(200, processes.slice(0, 2))
    // The first process is killed, so its lease is never returned.
    allowed += await send(2 * max, processes.slice(1))
    expect(allowed).toBeLessThanOrEqual(max)
    expect(allowed).toBeGreaterThanOrEqual(max * 0.9)
    processes = processes.slice(1)
  })

  test('concurrent requests for slices share statements', async () => {
    const [process] = processes as [RateLeases]
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, at) => process.count(`token ${at}`, max)),
    )
    expect(answers.every(({ isOver, remaining }) => !isOver && remaining === max - 1)).toBe(true)
    expect(statements).toBeLessThanOrEqual(3)
  })

  test('processes that lease for the same tokens in different orders do not deadlock', async () => {
    const owners = Array.from({ length: 200 }, (_, at) => `token ${at}`)
    for (let round = 0; round < 5; round++)
      await Promise.all(
        processes.flatMap((process, at) =>
          (at === 1 ? owners.toReversed() : owners).map((owner) => process.count(owner, max)),
        ),
      )
    expect(warnings).toEqual([])
  })

  test('the next window starts with a full limit', async () => {
    expect(await send(max, processes.slice(0, 1))).toBe(max)
    await database.db.$client`update rate_windows set ends_at = now()`
    expect(await send(max, processes.slice(1, 2))).toBe(max)
  })

  test('a process at its limit uses requests that other processes have returned', async () => {
    await send(3 * max)
    await database.db.$client`update rate_windows set taken = taken - 50`
    const atLimit = processes.slice(0, 1)
    let allowed = 0
    await expect.poll(async () => (allowed += await send(12, atLimit))).toBeGreaterThan(0)
    expect(allowed + (await send(120, atLimit))).toBeLessThanOrEqual(50)
  })

  test('expired windows are removed', async () => {
    await send(12)
    expect(await removeEndedWindows(database.db)).toBe(0)
    await database.db.$client`update rate_windows set ends_at = now() - interval '61 seconds'`
    expect(await removeEndedWindows(database.db)).toBe(1)
  })

  describe('when leasing fails', () => {
    beforeEach(() => {
      processes = pools.map((db) => start(db))
    })

    test('late leases are used, and nothing is leased twice', async () => {
      const [counting] = processes
      const holding = Promise.withResolvers<void>()
      const locked = Promise.withResolvers<void>()
      const locking = database.db.$client.begin(async (sql) => {
        await sql`lock table rate_windows in access exclusive mode`
        locked.resolve()
        await holding.promise
      })
      await locked.promise
      for (let round = 0; round < 3; round++) {
        expect(await send(12, [counting!])).toBe(12)
        await sleep(1100)
      }
      expect(statements).toBe(1)
      holding.resolve()
      await locking
      let counted = 36
      // Sends requests until the late lease has arrived, after which the next lease statement runs.
      while (statements === 1) {
        counted += await send(1, [counting!], 1)
        await sleep(10)
      }
      await counting!.stop()
      expect(await countTaken()).toBe(counted)
    })

    test('without the database, each process allows the full limit and no more', async () => {
      await database.db.$client`alter table rate_windows rename to gone`
      try {
        expect(await send(2 * max)).toBe(2 * max)
        expect(await send(3 * max)).toBe(max)
        expect(new Set(warnings)).toEqual(new Set(['rate limit leases unavailable, counting locally']))
      } finally {
        await database.db.$client`alter table gone rename to rate_windows`
      }
      await sleep(1100)
      await send(36)
      await sleep(100)
      // The new leases cover the requests that were counted without leases, so nothing is left.
      expect(await send(36)).toBe(0)
    })
  })
})
