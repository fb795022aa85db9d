import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { portionsOf, withTimeout, oneAtATime, repeat } from './scheduling.ts'

describe('repeated work', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('requested while it runs is repeated once afterwards, never concurrently', async () => {
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

  test('is planned with a valid delay while the process is too busy to run it', () => {
    vi.useRealTimers()
    const planned = vi.spyOn(globalThis, 'setTimeout')
    const repeated = repeat(
      async () => {},
      1000,
      () => {},
    )
    for (const end = performance.now() + 5; performance.now() < end;);
    repeated.soon(1000)
    expect(planned.mock.calls.map(([, ms]) => ms)).toEqual([0, 0])
    repeated.stop()
    planned.mockRestore()
  })

  test('is repeated if it failed', async () => {
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

  test('is repeated if it never ends, such as on a silent connection', async () => {
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
})

test('joins running work, and runs it again afterwards, even if it failed', async () => {
  const ends: (() => void)[] = []
  let fails = false
  const work = oneAtATime(async () => {
    if (fails) throw new Error('gone')
    await new Promise<void>((resolve) => ends.push(resolve))
  })
  const first = work()
  const second = work()
  expect(ends).toHaveLength(1)
  ends[0]!()
  await Promise.all([first, second])
  fails = true
  await expect(work()).rejects.toThrow('gone')
  fails = false
  const next = work()
  expect(ends).toHaveLength(2)
  ends[1]!()
  await next
})

const tooLate = () => {
  throw new Error('too late')
}

test('returns the result or error of work that ends in time', async () => {
  expect(await withTimeout(Promise.resolve(1), 1000, tooLate)).toBe(1)
  await expect(withTimeout(Promise.reject(new Error('gone')), 1000, tooLate)).rejects.toThrow('gone')
})

test('does not wait for work that takes longer, and ignores its later error', async () => {
  const { promise, reject } = Promise.withResolvers<never>()
  await expect(withTimeout(promise, 1, tooLate)).rejects.toThrow('too late')
  expect(await withTimeout(promise, 1, () => 'nothing')).toBe('nothing')
  reject(new Error('gone'))
})

const sizesOf = async (texts: string[]) => {
  const portions: string[][] = []
  for await (const portion of portionsOf(texts)) portions.push(portion)
  expect(portions.flat()).toEqual(texts)
  return portions.map(({ length }) => length)
}

test('typical deals form one portion, and large deals several', async () => {
  expect(await sizesOf([])).toEqual([])
  expect(await sizesOf(Array.from({ length: 250 }, () => 'x'.repeat(4000)))).toEqual([250])
  expect(await sizesOf(Array.from({ length: 5 }, () => 'x'.repeat(600_000)))).toEqual([2, 2, 1])
  expect(await sizesOf(['x', 'x'.repeat(3_000_000), 'y'])).toEqual([2, 1])
})

test('other work runs between two portions', async () => {
  const seen: string[] = []
  setImmediate(() => seen.push('another request'))
  for await (const [text] of portionsOf(['a'.repeat(2_000_000), 'b'.repeat(2_000_000)])) seen.push(text![0]!)
  expect(seen).toEqual(['a', 'another request', 'b'])
})
