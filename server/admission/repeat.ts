import { secondMs } from '../values/units.ts'
import { databaseTooLate, withTimeout } from './with-timeout.ts'

/** Minimum time between two runs. */
const gapMs = 50

/** After this time, which exceeds the statement timeout, the next run begins. */
const runMaxMs = 15 * secondMs

interface Repeated {
  /** Runs the work again after this time at the latest. */
  soon(ms: number): void
  stop(): void
}

/** Repeats the work `everyMs` after the end of the last run, or sooner on request; runs never overlap. */
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
    timer = setTimeout(() => void run(), dueAt - now)
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
