import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDelivered, planNext } from './delivery.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const scheduleMs = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]
const rules = { scheduleMs, throttleMs: minute }
const now = new Date('2026-03-01T17:20:05Z')

type Response = Parameters<typeof planNext>[0]
const answered = (status: number, more: Partial<Response> = {}): Response => ({
  status,
  error: null,
  timedOut: false,
  retryAfter: null,
  ...more,
})
const error = 'the connection was closed'
const noAnswer: Response = { status: null, error, timedOut: false, retryAfter: null }
const timedOut: Response = { ...noAnswer, timedOut: true }

const waitAfter = (response: Response, step: number, random = 0.5) =>
  planNext(response, step, rules, now, random).waitMs

// Possible values of Math.random, from 0 to below 1.
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const failure = fc.oneof(
  fc
    .integer({ min: 100, max: 599 })
    .filter((status) => (status < 200 || status > 299) && status !== 429)
    .map((status) => answered(status)),
  fc.constant(noAnswer),
)

describe('the retry schedule', () => {
  test('has ten attempts, each within 20% of its planned delay', () => {
    fc.assert(
      fc.property(failure, chance, (response, random) => {
        let attempts = 1
        for (
          let plan = planNext(response, 0, rules, now, random);
          plan.state === 'waiting';
          plan = planNext(response, attempts - 1, rules, now, random)
        ) {
          const wait = scheduleMs[attempts]!
          expect(plan.waitMs).toBeGreaterThanOrEqual(0.8 * wait)
          expect(plan.waitMs).toBeLessThanOrEqual(1.2 * wait)
          attempts++
        }
        expect(attempts).toBe(10)
      }),
    )
  })

  test('spreads delays over most of the allowed range, on both sides', () => {
    const waits = [0, 0.5, 1].map((random) => waitAfter(noAnswer, 1, random)! / (5 * minute))
    expect(waits[0]).toBeLessThan(0.9)
    expect(waits[1]).toBe(1)
    expect(waits[2]).toBeGreaterThan(1.1)
  })

  test('leaves room within the 20% for a busy worker to be late', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), chance, (step, random) => {
        expect(waitAfter(noAnswer, step, random)! + 200).toBeLessThanOrEqual(1.2 * scheduleMs[step + 1]!)
      }),
    )
  })

  test('ends as failed after the last attempt, whatever the response', () => {
    for (const response of [noAnswer, timedOut, answered(500), answered(429, { retryAfter: '5' })])
      for (const step of [9, 10_000])
        expect(planNext(response, step, rules, now, 0.5)).toEqual({ state: 'failed', waitMs: null })
  })
})

test('a complete 2xx response means delivered, at any attempt', () => {
  fc.assert(
    fc.property(
      fc.option(fc.integer({ min: 100, max: 999 })),
      fc.boolean(),
      fc.integer({ min: 0, max: 20 }),
      (status, isComplete, step) => {
        const expected = isComplete && status !== null && Math.floor(status / 100) === 2
        const response = { ...noAnswer, status, error: isComplete ? null : error, retryAfter: '60' }
        expect(isDelivered(response)).toBe(expected)
        expect(planNext(response, step, rules, now, 0.5).state === 'delivered').toBe(expected)
      },
    ),
  )
})

describe('the minimum delay after overload', () => {
  test.each([
    ['a timeout', timedOut],
    ['a timeout in the middle of a response', answered(200, { error, timedOut: true })],
    ['a 429', answered(429)],
  ])('applies after %s', (_what, response) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), chance, (step, random) => {
        const wait = waitAfter(response, step, random)!
        expect(wait).toBeGreaterThanOrEqual(minute)
        expect(wait).toBe(Math.max(minute, waitAfter(noAnswer, step, random)!))
      }),
    )
    expect(waitAfter(response, 0)).toBe(minute)
  })

  test('does not apply after other responses', () => {
    fc.assert(
      fc.property(failure, (response) => {
        expect(waitAfter(response, 0)).toBe(5 * second)
      }),
    )
  })
})

describe('the Retry-After header', () => {
  test('is honored if it is longer than the planned delay', () => {
    expect(waitAfter(answered(503, { retryAfter: '400' }), 1)).toBe(400 * second)
    expect(waitAfter(answered(429, { retryAfter: '90' }), 0)).toBe(90 * second)
    expect(waitAfter(answered(503, { retryAfter: 'Sun, 01 Mar 2026 17:27:05 GMT' }), 1)).toBe(7 * minute)
  })

  test.each(['0', '3', '-5', 'soon', 'Sun, 01 Mar 2020 17:20:05 GMT'])(
    'is ignored if it is shorter, past or invalid: %s',
    (retryAfter) => expect(waitAfter(answered(503, { retryAfter }), 1)).toBe(5 * minute),
  )

  test('at most doubles the planned delay', () => {
    for (const retryAfter of ['601', '9999999999', 'Fri, 01 Jan 2100 00:00:00 GMT']) {
      expect(waitAfter(answered(503, { retryAfter }), 1), retryAfter).toBe(10 * minute)
      expect(waitAfter(answered(429, { retryAfter }), 0), retryAfter).toBe(2 * minute)
    }
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 8 }), chance, (retryAfter, step, random) => {
        const planned = waitAfter(answered(503), step, random)!
        const wait = waitAfter(answered(503, { retryAfter }), step, random)!
        expect(wait).toBeGreaterThanOrEqual(planned)
        expect(wait).toBeLessThanOrEqual(2 * planned + 1)
      }),
    )
  })
})
