import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway, readOnly } from '../errors.ts'

/** Maximum retry time, which is longer than a failover. */
const timeoutMs = 120_000

const firstWaitMs = 50
const waitMaxMs = 1000

// A read-only server is a former primary or a standby that is not yet promoted. The other codes are
// serialization failures and deadlocks, which should be retried (PostgreSQL documentation, appendix A).
const repeatable = new Set([readOnly, '40001', '40P01'])

/** Returns whether work that failed with this error may succeed on a retry. */
export function isRepeatable(error: unknown): boolean {
  // Drizzle wraps driver errors.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { code = '' } = cause as { code?: string }
  // CONNECTION_ENDED means that this process closed the pool.
  return code !== 'CONNECTION_ENDED' && (isDatabaseAway(cause) || repeatable.has(code))
}

/**
 * Runs idempotent work, and retries for up to two minutes while the database is down. Stops immediately if
 * `isStopping` returns true.
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
