import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BufferedCounter } from './buffered-counter.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

interface Counts {
  requests: number
  errors: number
}

function makeCounter() {
  const persist = vi.fn(async (_counts: ReadonlyMap<number, Counts>) => {})
  const failed = vi.fn()
  const counter = new BufferedCounter({ requests: 0, errors: 0 }, persist, failed)
  return { counter, persist, failed, persisted: () => persist.mock.calls.map(([counts]) => [...counts]) }
}

test('saves counts together, ten seconds after the first count', async () => {
  const { counter, persisted } = makeCounter()
  counter.add(1, { requests: 1 })
  await vi.advanceTimersByTimeAsync(5000)
  counter.add(1, { requests: 1, errors: 1 })
  counter.add(2, { errors: 1 })
  await vi.advanceTimersByTimeAsync(4999)
  expect(persisted()).toEqual([])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(persisted()).toEqual([
    [
      [1, { requests: 2, errors: 1 }],
      [2, { requests: 0, errors: 1 }],
    ],
  ])
})

test('saves the remainder on stop; an idle counter saves nothing', async () => {
  const { counter, persisted } = makeCounter()
  await counter.stop()
  expect(persisted()).toEqual([])
  counter.add(1, { requests: 1 })
  await counter.stop()
  expect(persisted()).toEqual([[[1, { requests: 1, errors: 0 }]]])
  expect(vi.getTimerCount()).toBe(0)
})

test('saves a failed batch with the next one', async () => {
  const { counter, persist, failed, persisted } = makeCounter()
  const error = new Error('away')
  persist.mockRejectedValueOnce(error)
  counter.add(1, { requests: 1 })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(failed.mock.calls).toEqual([[error]])
  counter.add(1, { errors: 1 })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(persisted()[1]).toEqual([[1, { requests: 1, errors: 1 }]])
})
