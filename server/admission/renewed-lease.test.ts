import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startRenewing } from './renewed-lease.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a lease is renewed until it ends, even after a failed renewal', async () => {
  const renew = vi.fn(async () => true).mockRejectedValueOnce(new Error('away'))
  const held = startRenewing(1000, renew)
  await vi.advanceTimersByTimeAsync(3000)
  expect(renew).toHaveBeenCalledTimes(3)
  await held.end()
  await vi.advanceTimersByTimeAsync(3000)
  expect([renew.mock.calls.length, held.lost.aborted]).toEqual([3, false])
})

test('reports a lost lease and stops renewing it', async () => {
  const renew = vi.fn(async () => false)
  const held = startRenewing(1000, renew)
  await vi.advanceTimersByTimeAsync(3000)
  expect([renew.mock.calls.length, held.lost.aborted]).toEqual([1, true])
})

test('renewals do not overlap, and the end waits for a running one', async () => {
  const renewal = Promise.withResolvers<boolean>()
  const renew = vi.fn(() => renewal.promise)
  const held = startRenewing(1000, renew)
  await vi.advanceTimersByTimeAsync(3000)
  const ended = vi.fn()
  const ending = held.end().then(ended)
  await vi.advanceTimersByTimeAsync(0)
  expect([renew.mock.calls.length, ended.mock.calls.length]).toEqual([1, 0])
  renewal.resolve(true)
  await ending
})
