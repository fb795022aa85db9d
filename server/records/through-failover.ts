import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway, readOnly } from '../errors.ts'

/** The maximum retry time: a failover takes less. */
const timeoutMs = 120_000

const firstWaitMs = 50
const waitMaxMs = 1000

// A read-only server is a former primary or a standby not yet promoted; the others are serialization failures
// and deadlocks, which should be retried (PostgreSQL documentation, appendix A).
const repeatable = new Set([readOnly, '40001', '40P01'])

/** Returns whether work that failed with this error may succeed on a retry. */
export function isRepeatable(error: unknown): boolean {
  // drizzle wraps the errors of the driver.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { code = '' } = cause as { code?: string }
  // This process closed the pool.
  return code !== 'CONNECTION_ENDED' && (isDatabaseAway(cause) || repeatable.has(code))
}

/**
 * Runs idempotent work, retrying while the database is down, for up to two minutes. Stops at once when
 * `isStopping`.
 */
export async function throughFailover<T>(work: () => Promise<T>, isStopping: () => boolean): Promise<T> {
  const until = performance.now() + timeoutMs
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, waitMaxMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isRepeatable(error) || isStopping() || performance.now() > until) throw error
    }
    await sleep(waitMs)
  }
}
