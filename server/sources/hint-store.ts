import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { sources } from '#db/schema/sources.ts'
import type { AnnouncedDeal } from './announced-store.ts'
import { announcedMax, hintPauseMs } from './policy.ts'

/**
 * Returns the encrypted secret with which the CRM signs a source's webhooks, or null if not set.
 * @system webhooks from CRMs
 */
export async function readSigningSecret(db: Database, id: number): Promise<string | null> {
  const [found] = await db.select({ secret: sources.clientSecret }).from(sources).where(eq(sources.id, id))
  return found?.secret ?? null
}

/**
 * Schedules a source to be read soon because the CRM announced changes to these deals. A failing or paused
 * source looks up the deals when it is read again.
 * @system webhooks from CRMs
 */
export async function hintSource(
  db: Database,
  id: number,
  announced: readonly AnnouncedDeal[],
): Promise<void> {
  const rows = announced.map((deal) => ({ id: String(deal.id), looks: deal.isRemoval ? 2 : 1 }))
  await db.$client`
    insert into source_announced as known (source_id, deal_id, looks)
    select ${id}, id::bigint, max(looks) from json_to_recordset(${JSON.stringify(rows)}::json) as row (id text, looks smallint)
    where (select count(*) from source_announced where source_id = ${id} and looks <= 2) < ${announcedMax.stored}
    group by id order by id::bigint
    on conflict (source_id, deal_id) do update set looks = greatest(known.looks, excluded.looks), at = excluded.at`
  const soon = sql`greatest(clock_timestamp(),
    coalesce(${sources.succeededAt}, '-infinity') + ${hintPauseMs} * interval '1 ms')`
  await db
    .update(sources)
    .set({
      nextAt: sql`case when ${sources.leaseId} is null then least(${sources.nextAt}, ${soon}) else ${soon} end`,
    })
    .where(and(eq(sources.id, id), isNull(sources.pausedAt), isNull(sources.failingSince)))
}
