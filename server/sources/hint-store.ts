import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { sources } from '#db/schema/sources.ts'
import { hintPauseMs } from './policy.ts'

/** Returns the encrypted secret that the CRM signs webhooks of a source with; null without one. @system webhooks of CRMs */
export async function readSigningSecret(db: Database, id: number): Promise<string | null> {
  const [found] = await db.select({ secret: sources.clientSecret }).from(sources).where(eq(sources.id, id))
  return found?.secret ?? null
}

/**
 * Has a source read soon, because the CRM says that something has changed: by the process that reads it at the moment, once it
 * is done. A source that fails or is paused is left alone. @system webhooks of CRMs
 */
export async function hintSource(db: Database, id: number): Promise<void> {
  const soon = sql`greatest(clock_timestamp(),
    coalesce(${sources.succeededAt}, '-infinity') + ${hintPauseMs} * interval '1 ms')`
  await db
    .update(sources)
    .set({
      nextAt: sql`case when ${sources.leaseId} is null then least(${sources.nextAt}, ${soon}) else ${soon} end`,
    })
    .where(and(eq(sources.id, id), isNull(sources.pausedAt), isNull(sources.failingSince)))
}
