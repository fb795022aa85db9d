import { randomUUID } from 'node:crypto'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { sources } from '#db/schema/sources.ts'
import { isJobRunning } from '../jobs/store.ts'

/** A source that this process may read as long as no other run begins. */
export type LeasedSource = Omit<typeof sources.$inferSelect, 'leaseId'> & { leaseId: string }

/** Proof that no other run of the source has begun. */
export type SourceLease = Pick<LeasedSource, 'id' | 'leaseId'>

/** Returns the condition that a running process is reading a source. */
export const isBeingRead = () => isJobRunning('read-source', sql`${sources.id}::text`)

/**
 * Begins a run of a source and ends any other run. Returns undefined if the source is paused or deleted.
 * @system the sources
 */
export async function beginRun(db: Database, id: number): Promise<LeasedSource | undefined> {
  const [leased] = await db
    .update(sources)
    .set({ leaseId: randomUUID() })
    .where(and(eq(sources.id, id), isNull(sources.pausedAt)))
    .returning()
  return leased as LeasedSource | undefined
}

const isHeld = ({ id, leaseId }: SourceLease) => and(eq(sources.id, id), eq(sources.leaseId, leaseId))

/**
 * Ends a successful run. The source is due again after `pollMs`, or earlier if requested during the run.
 * @proof the lease
 */
export async function endRun(
  db: Database,
  held: SourceLease & Pick<LeasedSource, 'nextAt'>,
  pollMs: number,
): Promise<void> {
  await db
    .update(sources)
    .set({
      leaseId: null,
      succeededAt: sql`clock_timestamp()`,
      problem: null,
      failingSince: null,
      nextAt: sql`case when date_trunc('milliseconds', ${sources.nextAt}) > ${held.nextAt.toISOString()}
        then ${sources.nextAt} else clock_timestamp() + ${pollMs} * interval '1 ms' end`,
    })
    .where(isHeld(held))
}

/** Ends a failed run, whose job is retried. @proof the lease */
export async function recordFailure(db: Database, held: SourceLease, problem: string): Promise<void> {
  await db
    .update(sources)
    .set({
      leaseId: null,
      problem,
      failingSince: sql`coalesce(${sources.failingSince}, clock_timestamp())`,
    })
    .where(isHeld(held))
}
