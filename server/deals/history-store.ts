import type { Fragment, ISql } from 'postgres'
import type { Database } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/tenant-store.ts'
import type { EventType } from './event.ts'
import type { Observed } from './observed.ts'
import { historyPageMaxBytes, observedMax } from './policy.ts'

/** A stored event about a deal; `changes` is JSON. */
interface HistoryEntry {
  sequence: number
  type: EventType
  timestamp: string
  changes: string
}

/** Returns the events of a deal that its current partner has received. */
const eventsOf = (sql: ISql, tenant: TenantScope, dealId: bigint) => sql`
  deals join events event on event.partner_id = deals.partner_id and event.deal_id = deals.id
  where deals.id = ${String(dealId)} and ${isWithin(sql, tenant, sql`deals.partner_id`)}`

/**
 * Returns up to `limit` events of a deal, newest first, optionally only those before the sequence `before`.
 * Returns fewer events, but at least one, if they exceed the size of a page.
 */
export async function readHistory(
  db: Database,
  tenant: TenantScope,
  dealId: bigint,
  before: number | null,
  limit: number,
): Promise<{ entries: HistoryEntry[]; isMore: boolean }> {
  const sql = db.$client
  const rows = await sql<(HistoryEntry & { isMore: boolean })[]>`
    with next as (
      select event.partner_id, event.created_at, event.sequence, octet_length(event.body) as bytes
      from ${eventsOf(sql, tenant, dealId)}
      ${
        before === null
          ? sql``
          : sql`and (event.created_at, event.sequence) < (${sql`
        select last.created_at, last.sequence from events last
        where last.partner_id = deals.partner_id and last.sequence = ${before}`})`
      }
      order by event.created_at desc, event.sequence desc limit ${limit + 1}),
    measured as (
      select next.*, row_number() over newest as number, sum(bytes) over newest - bytes as before,
        lead(sequence) over newest is not null as "isMore"
      from next window newest as (order by created_at desc, sequence desc))
    select event.sequence::float8 as sequence, event.type, event.body::json ->> 'timestamp' as timestamp,
      event.body::json ->> 'changes' as changes, "isMore"
    from measured join events event using (partner_id, sequence)
    where number <= ${limit} and before < ${historyPageMaxBytes} order by number`
  return { entries: rows, isMore: rows.at(-1)?.isMore ?? false }
}

/**
 * Returns what the portal has observed about each of these deals of the tenant, based on the newest events.
 * Times that are not later than the CRM's may be missing.
 */
export async function readObserved(
  { $client: sql }: Database,
  tenant: TenantScope,
  ids: readonly bigint[],
): Promise<Map<bigint, Observed>> {
  const newest = (column: string, matches: Fragment) => sql`lateral (
    select created_at, body from (
      select created_at, type, body from events event
      where event.partner_id = deals.partner_id and event.deal_id = deals.id
        and event.created_at > coalesce(${sql.unsafe(column)}, '-infinity')
      order by event.created_at desc, event.sequence desc limit ${observedMax}) event
    where type = 'deal.updated' and ${matches} limit 1)`
  const has = (event: string, field: string) =>
    sql`strpos(${sql.unsafe(event)}.body, ${`"field":"${field}"`}) > 0`
  const iso = (time: string) => sql.unsafe(`to_char(${time}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
  const rows = await sql<({ id: string } & Observed)[]>`
    select id, case when not ${has('moved', 'timeInCurrentStage')} then ${iso('moved.created_at')} end as "movedAt",
      case when not ${has('changed', 'lastModified')} then ${iso('changed.created_at')} end as "changedAt",
      case when time_in_current_stage is null then ${iso('coalesce(moved.created_at, first.created_at)')} end as "seenAt"
    from deals
    left join ${newest('deals.time_in_current_stage', has('event', 'stage'))} moved on true
    left join ${newest('deals.last_modified', sql`true`)} changed on true
    left join lateral (
      select created_at from events event
      where event.partner_id = deals.partner_id and event.deal_id = deals.id and time_in_current_stage is null
      order by sequence limit 1) first on true
    where id = any(${ids.map(String)}::bigint[]) and ${isWithin(sql, tenant)}`
  return new Map(rows.map(({ id, ...observed }) => [BigInt(id), observed]))
}
