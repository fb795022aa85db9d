import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Allowance,
  addLease,
  isUsedUp,
  keptMost,
  leaseSize,
  newAllowance,
  reclaim,
  remainingOf,
  renew,
  take,
  windowMs,
} from './rate.ts'

/** Processes that lease from one window; `taken` is what all of them have leased. */
function makeProcesses(count: number, max: number) {
  const all = Array.from({ length: count }, () => newAllowance(max, 0))
  let taken = 0
  let asked = 0
  const lease = (allowance: Allowance) => {
    asked++
    const granted = Math.max(0, Math.min(leaseSize(allowance, 1), max - taken))
    taken += granted
    addLease(allowance, { granted, unleased: max - taken, window: 'a', resetMs: windowMs }, 0)
  }
  return {
    asked: () => asked,
    /** Counts a request in a process. Returns whether it is allowed. */
    count(process: number): boolean {
      const allowance = all[process]!
      if (take(allowance, 0)) return true
      if (isUsedUp(allowance, 0)) return false
      lease(allowance)
      return take(allowance, 0)
    },
  }
}

/** Sends requests to processes. Returns how many are allowed, and how often was asked. */
function sendAll(max: number, processes: number[], count: number) {
  const group = makeProcesses(count, max)
  const allowed = processes.filter((process) => group.count(process)).length
  return { allowed, asked: group.asked() }
}

test('all processes allow at most the limit, and at least a hundredth less each, in any order', () => {
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

test('a single process returns the exact remaining requests', () => {
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

test('what is not used is taken back, but for what was used', () => {
  const allowance = newAllowance(600, 0)
  addLease(allowance, { granted: 20, unleased: 500, window: 'a', resetMs: windowMs }, 0)
  for (let count = 0; count < 5; count++) take(allowance, 0)
  expect(reclaim(allowance)).toBe(15)
  expect(remainingOf(allowance, 0)).toBe(515)
  expect(take(allowance, 0)).toBe(false)
  expect(isUsedUp(allowance, 0)).toBe(false)
  expect(leaseSize(allowance, 0)).toBe(keptMost(600))
})

test('a single process allows exactly the limit, then leases what it counted without a lease', () => {
  const allowance = newAllowance(10, 0)
  allowance.aloneUntil = 1000
  for (let count = 0; count < 10; count++) expect(take(allowance, 999)).toBe(true)
  expect(take(allowance, 999)).toBe(false)
  expect([isUsedUp(allowance, 999), remainingOf(allowance, 999)]).toEqual([true, 0])
  expect(take(allowance, 1000)).toBe(false)
  expect(isUsedUp(allowance, 1000)).toBe(false)
  expect(leaseSize(allowance, 1)).toBe(11)
})

test('a window ends by time, or when the database says so', () => {
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
