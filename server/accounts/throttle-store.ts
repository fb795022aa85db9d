import { eq, lt, sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { throttles } from '#db/schema/accounts.ts'
import { type Counter, counterHash, limits } from './throttle.ts'

export interface Count {
  /** Number of attempts since the count started, including this attempt. */
  attempts: number
  /** True if this attempt exceeds the limit. */
  isOver: boolean
  /** Seconds until the count restarts. */
  retryAfterS: number
}

/**
 * Counts an attempt. All processes count in the database under a lock, so that parallel attempts cannot evade
 * the limit.
 * @proof the hash of the counter, which stores nothing but the count
 */
export async function countAttempt(db: Database, counter: Counter): Promise<Count> {
  const { max, windowS } = limits[counter.purpose]
  await db.delete(throttles).where(lt(throttles.endsAt, sql`now()`))
  const [entry] = await db
    .insert(throttles)
    .values({ hash: counterHash(counter), endsAt: sql`now() + make_interval(secs => ${windowS})` })
    .onConflictDoUpdate({ target: throttles.hash, set: { attempts: sql`${throttles.attempts} + 1` } })
    .returning({
      attempts: throttles.attempts,
      retryAfterS: sql<number>`least(${windowS}, greatest(1, ceil(extract(epoch from ${throttles.endsAt} - now()))))::integer`,
    })
  return { ...entry!, isOver: entry!.attempts > max }
}

/** Resets the count to 0. @proof the hash of the counter, which stores nothing but the count */
export async function resetAttempts(db: Database, counter: Counter): Promise<void> {
  await db.delete(throttles).where(eq(throttles.hash, counterHash(counter)))
}
