import { AsyncResource } from 'node:async_hooks'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiError } from '../errors.ts'
import type { Caller } from './admission.ts'
import {
  RequestWork,
  Slots,
  StatementGate,
  asLongWork,
  currentWork,
  outsideRequest,
  withinWork,
} from './slots.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const limits = {
  atOnce: 2,
  perGroup: 2,
  perMember: 2,
  longAtOnce: 1,
  longPerGroup: 1,
  waitingPerMember: 3,
  waitingInAll: 10,
}
const ana: Caller = { kind: 'partner', group: 'partner 1', member: 'user 1' }
const settled = () => vi.advanceTimersByTimeAsync(0)

describe('slots', () => {
  let slots: Slots
  beforeEach(() => {
    slots = new Slots(limits)
  })

  /** Runs work in a slot until the test ends that work; `outcome` tells how the work has ended so far. */
  function take(signal?: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const controls = {
      isBegun: false,
      outcome: 'none',
      end: () => resolve('done'),
      fail: () => reject(new Error('failed')),
    }
    const work = () => {
      controls.isBegun = true
      return promise
    }
    slots.run(ana, work, { waitMaxMs: 1000, signal }).then(
      (result) => {
        controls.outcome = result
      },
      (error: unknown) => {
        controls.outcome = error instanceof ApiError ? error.code : String(error)
      },
    )
    return controls
  }

  const begun = (all: ReturnType<typeof take>[]) => all.map(({ isBegun }) => isBegun)
  const outcomes = (all: ReturnType<typeof take>[]) => all.map(({ outcome }) => outcome)

  test('run a limited number of tasks, queue more in order, and reject the rest', async () => {
    const all = Array.from({ length: 6 }, () => take())
    await settled()
    expect(begun(all)).toEqual([true, true, false, false, false, false])
    expect(outcomes(all)).toEqual(['none', 'none', 'none', 'none', 'none', 'SERVICE_UNAVAILABLE'])
    expect(slots.counts.partner).toEqual({ admitted: 2, waiting: 3, refused: 1 })
    all[1]!.end()
    await settled()
    expect(begun(all)).toEqual([true, true, true, false, false, false])
    all[0]!.fail()
    await settled()
    expect(begun(all)).toEqual([true, true, true, true, false, false])
    expect(outcomes(all).slice(0, 2)).toEqual(['Error: failed', 'done'])
  })

  test('are all free again after their release', async () => {
    const first = Array.from({ length: 5 }, () => take())
    for (const slot of first) {
      slot.end()
      await settled()
    }
    expect(outcomes(first)).toEqual(Array.from(first, () => 'done'))
    expect(slots.running).toBe(0)
    expect(slots.counts.partner).toMatchObject({ admitted: 5, waiting: 0 })
    const next = [take(), take(), take()]
    await settled()
    expect(begun(next)).toEqual([true, true, false])
  })

  test('are released only once, even if released twice', async () => {
    const slot = slots.acquire(ana, false, { waitMaxMs: 1000 })
    slot.release()
    slot.release()
    const all = [take(), take(), take()]
    await settled()
    expect([begun(all), slots.running]).toEqual([[true, true, false], 2])
    all[0]!.end()
    await settled()
    expect([begun(all), slots.running]).toEqual([[true, true, true], 2])
  })

  test('reject work that waits too long', async () => {
    const all = [take(), take(), take()]
    await vi.advanceTimersByTimeAsync(1000)
    expect(outcomes(all)).toEqual(['none', 'none', 'SERVICE_UNAVAILABLE'])
    all[0]!.end()
    await settled()
    expect(slots.running).toBe(1)
    expect(slots.counts.partner).toEqual({ admitted: 2, waiting: 0, refused: 1 })
  })

  test('are not given to work aborted while waiting', async () => {
    const left = new AbortController()
    const all = [take(), take(), take(left.signal), take()]
    left.abort()
    await settled()
    expect(outcomes(all)).toEqual(['none', 'none', 'SERVICE_UNAVAILABLE', 'none'])
    all[1]!.end()
    await settled()
    expect(begun(all)).toEqual([true, true, false, true])
  })
})

describe('the statement gate', () => {
  let gate: StatementGate
  beforeEach(() => {
    gate = new StatementGate(limits)
  })
  const running = () => gate.slots.running

  test("admits the process's own work immediately, even within a request", () => {
    expect(gate.admit()).toBeNull()
    const inRequest = withinWork(new RequestWork(ana), () => outsideRequest(() => gate.admit()))
    expect(inRequest).toBeNull()
  })

  test('uses one slot for a statement, and one for a whole transaction', () => {
    withinWork(new RequestWork(ana), () => {
      const transaction = gate.admit()!
      expect(transaction.begin()).toBeUndefined()
      expect(transaction.within(() => gate.admit())).toBeNull()
      expect(running()).toBe(1)
      transaction.end()
      expect(running()).toBe(0)
    })
  })

  test("lets a caller's short statements pass its waiting long ones", async () => {
    await withinWork(new RequestWork(ana), async () => {
      const long = asLongWork(() => gate.admit()!)
      expect(long.begin()).toBeUndefined()
      const waiting = asLongWork(() => gate.admit()!).begin()
      expect(waiting).toBeInstanceOf(Promise)
      const short = gate.admit()!
      expect(short.begin()).toBeUndefined()
      long.end()
      await waiting
    })
  })

  test('never sends waiting statements of a cancelled request, and cancels running statements', async () => {
    const work = new RequestWork(ana)
    await withinWork(work, async () => {
      const cancelled: string[] = []
      const [first, second, third] = [gate.admit()!, gate.admit()!, gate.admit()!]
      for (const [name, slot] of [['first', first] as const, ['second', second] as const]) {
        expect(slot.begin()).toBeUndefined()
        slot.whenCancelled(() => cancelled.push(name))
      }
      const waiting = third.begin()!
      first.end()
      await waiting
      const fourth = gate.admit()!.begin()!
      work.cancel()
      await expect(fourth).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      expect(cancelled).toEqual(['second'])
      expect(third.problem()).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      expect(() => gate.admit()!.begin()).toThrow(ApiError)
      // The slot stays taken until the database has ended the statement.
      expect(running()).toBe(2)
      second.end()
      third.end()
      expect(running()).toBe(0)
    })
  })

  test('admits work that continues after a request for its caller, unless the request was cancelled', () => {
    const work = new RequestWork(ana)
    withinWork(work, () => {
      expect(currentWork()).toBe(work)
      work.end()
      expect(currentWork()).toBeNull()
      const statement = gate.admit()!
      expect(statement.begin()).toBeUndefined()
      expect(running()).toBe(1)
      statement.end()
      expect(outsideRequest(() => gate.admit())).toBeNull()
    })
    const left = new RequestWork(ana)
    withinWork(left, () => {
      left.cancel()
      left.end()
      expect(() => gate.admit()!.begin()).toThrow(ApiError)
    })
  })

  test('admits statements that continue after a transaction separately', () => {
    withinWork(new RequestWork(ana), () => {
      const transaction = gate.admit()!
      transaction.begin()
      const later = transaction.within(() => () => gate.admit())
      const within = transaction.within(() => AsyncResource.bind(later))
      expect(within()).toBeNull()
      transaction.end()
      expect(within()).not.toBeNull()
    })
  })
})
