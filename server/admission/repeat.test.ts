import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { repeat } from './repeat.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('work requested while it runs is repeated once afterwards, never concurrently', async () => {
  let runs = 0
  let atOnce = 0
  const work = async () => {
    runs++
    atOnce++
    expect(atOnce).toBe(1)
    await new Promise((resolve) => void setTimeout(resolve, 500))
    atOnce--
  }
  const repeated = repeat(work, 1000, () => {})
  await vi.advanceTimersByTimeAsync(10)
  for (const ms of [0, 100, 200]) repeated.soon(ms)
  await vi.advanceTimersByTimeAsync(480)
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(20)
  expect(runs).toBe(2)
  // After the early run, the usual interval applies again.
  await vi.advanceTimersByTimeAsync(1490)
  expect(runs).toBe(2)
  await vi.advanceTimersByTimeAsync(20)
  expect(runs).toBe(3)
  repeated.stop()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(runs).toBe(3)
})

test('failed work is repeated', async () => {
  const failed: unknown[] = []
  const repeated = repeat(
    () => Promise.reject(new Error('away')),
    1000,
    (error) => void failed.push(error),
  )
  await vi.advanceTimersByTimeAsync(2100)
  expect(failed).toHaveLength(3)
  repeated.stop()
})

test('work that never ends, such as on a silent connection, is repeated', async () => {
  let runs = 0
  const failed: unknown[] = []
  const work = () => (++runs === 1 ? new Promise<void>(() => {}) : Promise.resolve())
  const repeated = repeat(work, 1000, (error) => void failed.push(error))
  await vi.advanceTimersByTimeAsync(15_000)
  expect([runs, failed.length]).toEqual([1, 1])
  await vi.advanceTimersByTimeAsync(1000)
  expect(runs).toBe(2)
  repeated.stop()
})
