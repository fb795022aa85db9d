import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Refusal, unavailable } from './errors.ts'
import { type Turns, makeTurns, takeTurn, oneAtATime } from './turns.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

let turns: Turns
beforeEach(() => {
  turns = makeTurns({ atOnce: 2, waitingMax: 3, waitMaxMs: 1000 })
})

/** Takes a turn with work that goes on until it is ended; `outcome` is what came of it so far. */
function take(signal?: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const taken = {
    isBegun: false,
    outcome: 'none',
    end: () => resolve('done'),
    fail: () => reject(new Error('failed')),
  }
  takeTurn(
    turns,
    () => {
      taken.isBegun = true
      return promise
    },
    { refusal: unavailable, signal },
  ).then(
    (result) => {
      taken.outcome = result
    },
    (error: unknown) => {
      taken.outcome = error instanceof Refusal ? error.code : String(error)
    },
  )
  return taken
}

const settled = () => vi.advanceTimersByTimeAsync(0)
const begun = (all: ReturnType<typeof take>[]) => all.map(({ isBegun }) => isBegun)
const outcomes = (all: ReturnType<typeof take>[]) => all.map(({ outcome }) => outcome)

describe('turns', () => {
  test('are taken by so many at once, the others wait in order, and what comes on top is refused', async () => {
    const all = Array.from({ length: 6 }, () => take())
    await settled()
    expect(begun(all)).toEqual([true, true, false, false, false, false])
    expect(outcomes(all)).toEqual(['none', 'none', 'none', 'none', 'none', 'SERVICE_UNAVAILABLE'])
    all[1]!.end()
    await settled()
    expect(begun(all)).toEqual([true, true, true, false, false, false])
    all[0]!.fail()
    await settled()
    expect(begun(all)).toEqual([true, true, true, true, false, false])
    expect(outcomes(all).slice(0, 2)).toEqual(['Error: failed', 'done'])
  })

  test('that are all given back are there again', async () => {
    const first = Array.from({ length: 5 }, () => take())
    for (const each of first) {
      each.end()
      await settled()
    }
    expect(outcomes(first)).toEqual(Array.from(first, () => 'done'))
    expect(turns).toMatchObject({ underway: 0, waiting: new Set() })
    const next = [take(), take(), take()]
    await settled()
    expect(begun(next)).toEqual([true, true, false])
  })

  test('are not waited for too long', async () => {
    const all = [take(), take(), take()]
    await vi.advanceTimersByTimeAsync(1000)
    expect(outcomes(all)).toEqual(['none', 'none', 'SERVICE_UNAVAILABLE'])
    all[0]!.end()
    await settled()
    expect(turns).toMatchObject({ underway: 1, waiting: new Set() })
  })

  test('are not taken for a client that has left', async () => {
    const [left, gone] = [new AbortController(), AbortSignal.abort()]
    const all = [take(gone), take(), take(), take(left.signal), take()]
    left.abort()
    await settled()
    expect(outcomes(all)).toEqual(['SERVICE_UNAVAILABLE', 'none', 'none', 'SERVICE_UNAVAILABLE', 'none'])
    all[1]!.end()
    await settled()
    expect(begun(all)).toEqual([false, true, true, false, true])
  })
})

test('work in progress is joined, not begun again; afterwards it is, although it failed', async () => {
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
