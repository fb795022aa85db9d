import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { secondMs } from '../values/units.ts'

/** Minimum pause between two runs. */
const gapMs = 50

/** Time after which a hanging run is abandoned and the next run begins. Exceeds the statement timeout. */
const runMaxMs = 15 * secondMs

interface Repeated {
  /** Schedules the next run to start within this time. */
  soon(ms: number): void
  stop(): void
}

/** Repeats the work `everyMs` after each run ends, or sooner on request. Runs do not overlap. */
export function repeat(
  work: () => Promise<void>,
  everyMs: number,
  failed: (error: unknown) => void,
): Repeated {
  let isStopped = false
  let isRunning = false
  let timer: NodeJS.Timeout
  let dueAt = Infinity
  const run = async () => {
    isRunning = true
    dueAt = Infinity
    await withTimeout(work(), runMaxMs, databaseTooLate).catch(failed)
    isRunning = false
    plan(everyMs)
  }
  function plan(ms: number): void {
    const now = performance.now()
    dueAt = Math.min(dueAt, now + ms)
    if (isStopped || isRunning) return
    clearTimeout(timer)
    timer = setTimeout(() => void run(), Math.max(0, dueAt - now))
  }
  plan(0)
  return {
    soon: (ms) => plan(Math.max(gapMs, ms + 1)),
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** Returns a function that starts the work, or waits for the run that is already in progress. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return () =>
    (running ??= work().finally(() => {
      running = null
    }))
}

/** Resolves to the result of the work, or, after `ms` milliseconds, to the result of `late`. */
export async function withTimeout<T, Late>(
  work: Promise<T>,
  ms: number,
  late: () => Late,
): Promise<T | Late> {
  const timeout = Promise.withResolvers<null>()
  const timer = setTimeout(timeout.resolve, ms, null)
  try {
    return await Promise.race([work, timeout.promise.then(late)])
  } finally {
    clearTimeout(timer)
  }
}

/** Throws the error for a database that does not respond. Pass this to `withTimeout` as `late`. */
export function databaseTooLate(): never {
  throw new Error('the database does not respond in time')
}

const factor = 4

/**
 * Pauses after a step of bulk work for four times the duration of that step, but at most a second. Resolves
 * early when `signal` aborts.
 */
export const restAfter = (tookMs: number, signal?: AbortSignal): Promise<void> =>
  sleep(Math.min(factor * tookMs, secondMs), undefined, signal && { signal }).catch(() => {})

// About 250 typical deals. Processing more without a break would delay other requests.
const portionLength = 1024 * 1024

/** Yields texts or deals in portions of about a megabyte, and lets other requests run between portions. */
export async function* portionsOf<Item extends string | { json: string }>(
  items: readonly Item[],
): AsyncGenerator<Item[], void> {
  let portion: Item[] = []
  let length = 0
  for (const item of items) {
    portion.push(item)
    length += typeof item === 'string' ? item.length : item.json.length
    if (length < portionLength) continue
    yield portion
    portion = []
    length = 0
    await setImmediate()
  }
  if (portion.length > 0) yield portion
}
