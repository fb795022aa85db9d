import { randomUUID } from 'node:crypto'
import { and, asc, eq, isNull, lte, or, sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { sources } from '#db/schema/sources.ts'
import { sourceLeaseMs } from './policy.ts'

/** A source that this process may read, as long as it sends heartbeats. */
export type LeasedSource = Omit<typeof sources.$inferSelect, 'leaseId'> & { leaseId: string }

/**
 * Returns the condition that a living process reads a source: its last heartbeat is younger than the lease,
 * in ms.
 */
export const isBeingRead = (lease: number) =>
  sql`coalesce(${sources.aliveAt} > clock_timestamp() - ${lease} * interval '1 ms', false)`

/** The columns of a source without a lease. */
const noLease = { leaseId: null, aliveAt: null }

/**
 * Leases a due source that no living process is reading, if there is one. One of several callers gets it.
 * @system the sources
 */
export async function leaseDueSource(db: Database, lease = sourceLeaseMs): Promise<LeasedSource | undefined> {
  const due = db
    .select({ id: sources.id })
    .from(sources)
    .where(
      and(
        isNull(sources.pausedAt),
        lte(sources.nextAt, sql`clock_timestamp()`),
        or(isNull(sources.leaseId), sql`not ${isBeingRead(lease)}`),
      ),
    )
    .orderBy(asc(sources.nextAt))
    .limit(1)
    .for('update', { skipLocked: true })
  const [leased] = await db
    .update(sources)
    .set({ leaseId: randomUUID(), aliveAt: sql`clock_timestamp()` })
    .where(sql`${sources.id} in ${due}`)
    .returning()
  return leased as LeasedSource | undefined
}

/** Proof that this process still leases a source. */
export type HeldSource = Pick<LeasedSource, 'id' | 'leaseId'>

const isHeld = ({ id, leaseId: held }: HeldSource) => and(eq(sources.id, id), eq(sources.leaseId, held))

/** Records a heartbeat. Returns false if the lease was lost or the source paused. @proof the lease */
export async function keepLease(db: Database, held: HeldSource): Promise<boolean> {
  const kept = await db
    .update(sources)
    .set({ aliveAt: sql`clock_timestamp()` })
    .where(and(isHeld(held), isNull(sources.pausedAt)))
    .returning({ id: sources.id })
  return kept.length > 0
}

/** Releases a source after a successful run; pending requests run at once. @proof the lease */
export async function releaseDone(
  db: Database,
  held: HeldSource & Pick<LeasedSource, 'nextAt'>,
  pollMs: number,
): Promise<void> {
  await db
    .update(sources)
    .set({
      ...noLease,
      succeededAt: sql`clock_timestamp()`,
      problem: null,
      failingSince: null,
      failures: 0,
      nextAt: sql`case when date_trunc('milliseconds', ${sources.nextAt}) > ${held.nextAt.toISOString()}
        then ${sources.nextAt} else clock_timestamp() + ${pollMs} * interval '1 ms' end`,
    })
    .where(isHeld(held))
}

/** Releases a source after a failed run. @proof the lease */
export async function releaseFailed(
  db: Database,
  held: HeldSource,
  problem: string,
  delayMs: number,
): Promise<void> {
  await db
    .update(sources)
    .set({
      ...noLease,
      problem,
      failingSince: sql`coalesce(${sources.failingSince}, clock_timestamp())`,
      failures: sql`${sources.failures} + 1`,
      nextAt: sql`clock_timestamp() + ${delayMs} * interval '1 ms'`,
    })
    .where(isHeld(held))
}

/** Releases a source as it is, so that another process can continue at once. @proof the lease */
export async function releaseUnfinished(db: Database, held: HeldSource): Promise<void> {
  await db.update(sources).set(noLease).where(isHeld(held))
}
