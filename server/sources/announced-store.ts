import type { Database } from '#db/client.ts'
import { announcedMax } from './policy.ts'

/** A deal that the CRM has announced. */
export interface AnnouncedDeal {
  id: bigint
  /** Whether it was archived, deleted, merged or restored, rather than created or changed. */
  isRemoval: boolean
}

/** Returns announced deals to be looked up, and the time up to which they were announced. @system the sources */
export async function readAnnounced({ $client: sql }: Database, sourceId: number) {
  const rows = await sql<{ id: string; upTo: string }[]>`
    select deal_id::text as id, clock_timestamp()::text as "upTo" from source_announced
    where source_id = ${sourceId} and at <= clock_timestamp() order by deal_id limit ${announcedMax.atOnce}`
  return { ids: rows.map(({ id }) => BigInt(id)), upTo: rows[0]?.upTo ?? null }
}

/**
 * Records that announced deals were looked up, unless they have been announced again since. A removal is
 * looked up once more a minute later: the CRM may announce it before it shows it.
 * @system the sources
 */
export async function settleAnnounced(
  { $client: sql }: Database,
  sourceId: number,
  ids: readonly bigint[],
  upTo: string,
): Promise<void> {
  const isLookedUp = sql`source_id = ${sourceId} and deal_id = any(${ids.map(String)}::bigint[])
    and at <= ${upTo}::timestamptz`
  await sql`delete from source_announced where ${isLookedUp} and looks <= 1`
  await sql`update source_announced set looks = 1, at = clock_timestamp() + interval '1 minute' where ${isLookedUp}`
}
