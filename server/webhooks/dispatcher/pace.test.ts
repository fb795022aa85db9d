import { expect, test } from 'vitest'
import { Pace, widthMax } from './pace.ts'

const refusal = { retryAfterMs: null, refusals: 0 }
const pause = 1000

/** Rejects a request that has just begun, without jitter. */
const refuse = (pace: Pace, now: number, more: Partial<Parameters<Pace['refuse']>[0]> = {}) =>
  pace.refuse({ beganAt: now, ...refusal, ...more }, now, 0)

/** Accepts this many requests, one after the other at full width. */
function accept(pace: Pace, now: number, count: number): void {
  for (let accepted = 0; accepted < count; accepted++) pace.accept(now, widthMax)
}

test('an endpoint starts with the full number of parallel requests', () => {
  const pace = new Pace()
  expect(pace.isSlowed(0)).toBe(false)
  expect([pace.places(0, 0), pace.places(15, 0), pace.places(16, 0)]).toEqual([16, 1, 0])
})

test('a rejection pauses, then halves the number of parallel requests', () => {
  const pace = new Pace()
  expect(refuse(pace, 0)).toEqual({ pauseMs: pause, isFree: false })
  expect(pace.isSlowed(0)).toBe(true)
  expect(pace.places(0, pause - 1)).toBe(0)
  expect(pace.places(0, pause)).toBe(8)
})

test('rejections in one burst count once, and only the first uses up an attempt', () => {
  const pace = new Pace()
  const began = { beganAt: 0 }
  const [first, ...others] = [1, 2, 3, 4].map((now) => refuse(pace, now, began))
  expect(first!.isFree).toBe(false)
  expect(others.every(({ isFree }) => isFree)).toBe(true)
  expect(pace.places(0, 2000)).toBe(8)
})

test('each further pause without an acceptance is twice as long, up to five minutes, followed by one request at a time', () => {
  const pace = new Pace()
  let now = 0
  const pauses = Array.from({ length: 11 }, () => {
    const { pauseMs } = refuse(pace, now)
    now += pauseMs
    return pauseMs / 1000
  })
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  expect(pace.places(0, now)).toBe(1)
})

test.each([
  ['ends the series of pauses', 1000, pause],
  ['changes nothing if its request began before the pause', 9, 2 * pause],
])('an acceptance %s', (_what, beganAt, pauseMs) => {
  const pace = new Pace()
  refuse(pace, 10)
  pace.accept(beganAt, 16)
  expect(refuse(pace, 1010).pauseMs).toBe(pauseMs)
})

test('after four acceptances per slot, one more request runs in parallel, but only if all slots are used', () => {
  const pace = new Pace()
  refuse(pace, 0)
  refuse(pace, 1000)
  expect(pace.places(0, 3000)).toBe(1)
  accept(pace, 3000, 3)
  expect(pace.places(0, 3000)).toBe(1)
  accept(pace, 3000, 1)
  expect(pace.places(0, 3000)).toBe(2)
  accept(pace, 3000, 8 + 12)
  expect(pace.places(0, 3000)).toBe(4)
  for (let times = 0; times < 100; times++) pace.accept(3000, 1)
  expect(pace.places(0, 3000)).toBe(4)
  accept(pace, 3000, 10_000)
  expect(pace.places(0, 3000)).toBe(16)
  expect(pace.isSlowed(3000)).toBe(false)
})

test.each([
  [30_000, 30_000],
  [200, 200],
  [86_400_000, 3_600_000],
])('a Retry-After of %i ms pauses for %i ms', (retryAfterMs, pauseMs) =>
  expect(refuse(new Pace(), 0, { retryAfterMs }).pauseMs).toBe(pauseMs),
)

test('repeated rejections with a short Retry-After still lengthen the pauses', () => {
  const pace = new Pace()
  refuse(pace, 0, { retryAfterMs: 0 })
  expect(refuse(pace, 1, { retryAfterMs: 0 }).pauseMs).toBe(2 * pause)
  expect(refuse(pace, 3000, { retryAfterMs: 10_000 }).pauseMs).toBe(10_000)
})

test('random jitter lengthens a pause, and never shortens it', () => {
  const pauseOf = (random: number) =>
    new Pace().refuse({ beganAt: 0, ...refusal, retryAfterMs: 10_000 }, 0, random).pauseMs
  expect(pauseOf(0)).toBe(10_000)
  expect(pauseOf(0.999)).toBeGreaterThan(11_900)
  expect(pauseOf(0.999)).toBeLessThanOrEqual(12_000)
})

test('a later, longer pause replaces the current one, and a shorter one does not', () => {
  const pace = new Pace()
  refuse(pace, 0, { retryAfterMs: 20_000 })
  expect(refuse(pace, 100, { beganAt: -1, retryAfterMs: 1000 }).pauseMs).toBe(19_900)
  expect(refuse(pace, 100, { beganAt: -1, retryAfterMs: 60_000 }).pauseMs).toBe(60_000)
})

test.each([
  [9, true, true],
  [10, true, false],
  [1000, false, true],
])(
  'after %i rejections, with others accepted: %s, another rejection uses no attempt: %s',
  (refusals, isOtherAccepted, isFree) => {
    const pace = new Pace()
    refuse(pace, 0)
    if (isOtherAccepted) pace.accept(1000, 8)
    expect(refuse(pace, 1000, { refusals }).isFree).toBe(isFree)
  },
)

test('ten minutes after its last pause, an endpoint is no longer throttled', () => {
  const pace = new Pace()
  refuse(pace, 0)
  expect(pace.isSlowed(pause + 600_000)).toBe(true)
  expect(pace.isSlowed(pause + 600_001)).toBe(false)
  expect(pace.places(0, pause + 600_001)).toBe(16)
})

test('another worker begins with one request at a time for a throttled endpoint', () => {
  const pace = new Pace()
  pace.startNarrow(5)
  expect([pace.places(0, 5), pace.places(1, 5)]).toEqual([1, 0])
  expect(refuse(pace, 5).isFree).toBe(true)
})

test("the operator's throttle setting shortens the first pause, to no less than 50 ms", () => {
  const first = (throttleMs: number) =>
    new Pace().refuse({ beganAt: 0, ...refusal }, 0, 0, throttleMs).pauseMs
  expect([0, 100, 60_000].map(first)).toEqual([50, 100, 1000])
})
