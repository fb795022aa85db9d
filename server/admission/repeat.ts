import { secondMs } from '../values/units.ts'
import { databaseTooLate, withTimeout } from './with-timeout.ts'

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
