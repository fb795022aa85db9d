import type { Database } from '#db/client.ts'
import { announcedMax, hintPauseMs, restorableHours } from './policy.ts'

export interface AnnouncedDeal {
  id: bigint
  /** True if the deal was archived, deleted, merged, or restored. False if it was created or changed. */
  isRemoval: boolean
}

/**
 * Returns the encrypted secret with which the CRM signs a source's webhooks, or null if not set.
 * @system webhooks from CRMs
 */
export async function readSigningSecret({ $client: sql }: Database, id: number): Promise<string | null> {
  const [found] = await sql<{ secret: string | null }[]>`
    select client_secret as secret from sources where id = ${id}`
  return found?.secret ?? null
}

/**
 * Schedules a source to be read soon because the CRM announced changes to these deals. A failing or paused
 * source looks up the deals when it is read again.
 * @system webhooks from CRMs
 */
export async function hintSource(
  { $client: sql }: Database,
  id: number,
  announced: readonly AnnouncedDeal[],
): Promise<void> {
  const rows = announced.map((deal) => ({ id: String(deal.id), looks: deal.isRemoval ? 2 : 1 }))
  await sql`
    insert into source_announced as known (source_id, deal_id, looks)
    select ${id}, id::bigint, max(looks) from json_to_recordset(${JSON.stringify(rows)}::json) as row (id text, looks smallint)
    where (select count(*) from source_announced where source_id = ${id} and looks <= 2) < ${announcedMax.stored}
    group by id order by id::bigint
    on conflict (source_id, deal_id) do update set looks = greatest(known.looks, excluded.looks), at = excluded.at`
  const soon = sql`greatest(clock_timestamp(), coalesce(succeeded_at, '-infinity') + ${hintPauseMs} * interval '1 ms')`
  await sql`
    update sources set next_at = case when lease_id is null then least(next_at, ${soon}) else ${soon} end
    where id = ${id} and paused_at is null and failing_since is null`
}

/** Returns announced deals to look up, and the time up to which these were announced. @system the sources */
export async function readAnnounced({ $client: sql }: Database, sourceId: number) {
  const rows = await sql<{ id: string; upTo: string }[]>`
    select deal_id::text as id, clock_timestamp()::text as "upTo" from source_announced
    where source_id = ${sourceId} and at <= clock_timestamp() order by deal_id limit ${announcedMax.atOnce}`
  return { ids: rows.map(({ id }) => BigInt(id)), upTo: rows[0]?.upTo ?? null }
}

/**
 * Records that announced deals were looked up, except deals that have been announced again since. A removal
 * is looked up again after a minute, because the CRM may announce the removal before showing it. A removed
 * deal is looked up every hour until it is found.
 * @system the sources
 */
export async function settleAnnounced(
  { $client: sql }: Database,
  sourceId: number,
  { ids, found }: { ids: readonly bigint[]; found: readonly bigint[] },
  upTo: string,
): Promise<void> {
  const isLookedUp = sql`source_id = ${sourceId} and deal_id = any(${ids.map(String)}::bigint[])
    and at <= ${upTo}::timestamptz`
  const isFound = sql`deal_id = any(${found.map(String)}::bigint[])`
  await sql`delete from source_announced where ${isLookedUp} and (looks <= 1 or looks > 2 and ${isFound})`
  await sql`
    update source_announced set looks = case when looks > 2 then looks - 1 else 1 end,
      at = clock_timestamp() + case when looks > 2 then interval '1 hour' else interval '1 minute' end
    where ${isLookedUp}`
}

/**
 * Schedules removed deals to be looked up every hour, because the CRM may restore deals without reporting a
 * change. If there are too many removals, the oldest are dropped.
 * @system the sources
 */
export async function watchRemoved(
  { $client: sql }: Database,
  sourceId: number,
  ids: readonly bigint[],
): Promise<void> {
  await sql`
    insert into source_announced as known (source_id, deal_id, looks, at)
    select ${sourceId}, id, ${restorableHours + 2}::smallint, clock_timestamp() + interval '1 hour'
    from unnest(${ids.map(String)}::bigint[]) as removed (id)
    on conflict (source_id, deal_id) do update set looks = greatest(known.looks, excluded.looks)`
  await sql`
    delete from source_announced where source_id = ${sourceId} and deal_id in (
      select deal_id from source_announced where source_id = ${sourceId} and looks > 2
      order by looks desc, deal_id offset ${announcedMax.watched})`
}
