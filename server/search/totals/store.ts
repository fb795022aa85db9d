import type { ISql } from 'postgres'
import type { Database, ReadDatabase } from '#db/client.ts'
import { type TenantScope, type PartnerId } from '../../accounts/partner.ts'
import { listIdOf, listOfAll } from '../../deals/list-store.ts'
import { dayMs } from '../../values/units.ts'
import type { Zone } from '../../values/zone.ts'
import { type StoredTotals, leaseMs, unreadMs } from './totals.ts'

/** Identifies totals of a list. */
export interface TotalsKey {
  /** The kind of totals and the version of their JSON: `overview-1`. */
  kind: string
  /** Null if days do not matter. */
  zone: Zone | null
}

/** The size and revision of a list, and its stored totals. */
export interface TotalsState {
  dealCount: number
  revision: number
  /** Null before they are first computed. */
  kept: (StoredTotals & { json: string; computedAt: Date }) | null
  /** Whether no process is computing them, or just did. */
  isDue: boolean
  /** The lease of the process computing them; null if never computed. */
  lease: string | null
  /** Whether a process is computing them. */
  isUnderway: boolean
  /** Whether they were last read over an hour ago. */
  isUnread: boolean
}

/** A computing process renews its lease at least this often. */
const leaseLagMs = 10_000

/** Returns the state of the tenant's list and of its totals. */
export async function readTotalsState(
  db: Database,
  tenant: TenantScope,
  { kind, zone }: TotalsKey,
): Promise<TotalsState> {
  const [row] = await db.$client<
    {
      dealCount: number
      listRevision: number
      json: string | null
      revision: number
      validUntil: string | null
      computedAt: string
      isDue: boolean
      lease: string | null
      isUnderway: boolean
      isUnread: boolean
    }[]
  >`
    select deal_count::float8 as "dealCount", list.revision::float8 as "listRevision", totals as json,
      kept.revision::float8 as revision, ${isoOf(db.$client, 'valid_until')} as "validUntil",
      ${isoOf(db.$client, 'computed_at')} as "computedAt", coalesce(due_at <= clock_timestamp(), true) as "isDue", due_at::text as lease,
      coalesce(due_at > clock_timestamp() + ${leaseMs - leaseLagMs} * interval '1 ms', false) as "isUnderway",
      coalesce(read_at < clock_timestamp() - interval '1 hour', false) as "isUnread"
    from deal_lists list left join list_totals kept
      on list_id = list.id and kind = ${kind} and zone = ${zone ?? ''}
    where list.id = ${listIdOf(tenant)}`
  if (row === undefined)
    return {
      dealCount: 0,
      revision: 0,
      kept: null,
      isDue: true,
      lease: null,
      isUnderway: false,
      isUnread: false,
    }
  const { dealCount, listRevision, json, revision, validUntil, computedAt, ...state } = row
  return {
    dealCount,
    revision: listRevision,
    kept:
      json === null
        ? null
        : {
            json,
            revision,
            validUntil: validUntil === null ? null : new Date(validUntil),
            computedAt: new Date(computedAt),
          },
    ...state,
  }
}

const agoOf = (sql: ISql, ms: number) => sql`clock_timestamp() - ${ms}::float8 * interval '1 ms'`

const isoOf = (sql: ISql, column: string) => sql.unsafe(`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)

/** Records that the totals were read. */
export async function recordTotalsRead(
  db: Database,
  tenant: TenantScope,
  { kind, zone }: TotalsKey,
): Promise<void> {
  await db.$client`
    update list_totals set read_at = clock_timestamp()
    where list_id = ${listIdOf(tenant)} and kind = ${kind} and zone = ${zone ?? ''}`
}

/** Why totals are computed. */
export interface LeaseReason {
  /** Lease to take over, if any. */
  from?: string | null
  /** Whether they are precomputed before anyone reads them. */
  isAhead?: boolean
}

/**
 * Leases the computation of totals. Returns proof of the lease; null if another process has it, or just
 * computed them.
 */
export async function leaseTotals(
  db: Database,
  tenant: TenantScope,
  { kind, zone }: TotalsKey,
  { from = null, isAhead = false }: LeaseReason = {},
): Promise<string | null> {
  const sql = db.$client
  const until = untilOf(sql)
  // Totals that are being read come first.
  const readAt = agoOf(sql, isAhead ? dayMs : 0)
  const [lease] = await sql<{ until: string }[]>`
    insert into list_totals (list_id, kind, zone, due_at, read_at)
      values (${listIdOf(tenant)}, ${kind}, ${zone ?? ''}, ${until}, ${readAt})
    on conflict (list_id, kind, zone) do update set due_at = excluded.due_at
      where list_totals.due_at <= clock_timestamp() or list_totals.due_at = ${from}::timestamptz
    returning due_at::text as until`
  return lease?.until ?? null
}

/** Renews the lease. Returns the new one; null if it was lost. */
export async function renewLease(
  db: Database,
  tenant: TenantScope,
  { kind, zone }: TotalsKey,
  lease: string,
): Promise<string | null> {
  const [renewed] = await db.$client<{ until: string }[]>`
    update list_totals set due_at = ${untilOf(db.$client)}
    where list_id = ${listIdOf(tenant)} and kind = ${kind} and zone = ${zone ?? ''} and due_at = ${lease}::timestamptz
    returning due_at::text as until`
  return renewed?.until ?? null
}

const untilOf = (sql: ISql) => sql`clock_timestamp() + ${leaseMs} * interval '1 ms'`

/** Totals of a list at a revision. */
export interface CountedTotals extends StoredTotals {
  json: string
  /** The time of the snapshot. */
  computedAt: Date
}

/** Stores the totals and lets them rest, unless the lease was lost. */
export async function saveTotals(
  db: Database,
  tenant: TenantScope,
  { kind, zone }: TotalsKey,
  lease: string,
  { json, revision, validUntil, computedAt }: CountedTotals,
  restMs: number,
): Promise<void> {
  await db.$client`
    update list_totals set totals = ${json}, revision = ${revision}::bigint,
      valid_until = ${validUntil?.toISOString() ?? null}::timestamptz,
      computed_at = ${computedAt.toISOString()}::timestamptz,
      due_at = clock_timestamp() + ${restMs}::float8 * interval '1 ms'
    where list_id = ${listIdOf(tenant)} and kind = ${kind} and zone = ${zone ?? ''} and due_at = ${lease}::timestamptz`
}

/** Allows failed totals to be computed again after a while. */
export async function releaseTotals(
  db: Database,
  tenant: TenantScope,
  { kind, zone }: TotalsKey,
  lease: string,
  restMs: number,
): Promise<void> {
  await db.$client`
    update list_totals set due_at = clock_timestamp() + ${restMs}::float8 * interval '1 ms'
    where list_id = ${listIdOf(tenant)} and kind = ${kind} and zone = ${zone ?? ''} and due_at = ${lease}::timestamptz`
}

/** A read transaction; for stored totals, with one snapshot. */
export type DealSnapshot = ISql

/** Runs the work on a snapshot of the database with the list's revision in it, for no longer than a lease. */
export async function withListSnapshot<T>(
  db: ReadDatabase,
  tenant: TenantScope,
  work: (sql: DealSnapshot) => Promise<T>,
): Promise<T & { revision: number; computedAt: Date }> {
  return (await db.$client.begin('isolation level repeatable read read only', async (sql) => {
    // A few groups of many rows are never worth sorting, which the planner cannot know.
    await sql`select set_config('statement_timeout', ${`${leaseMs / 2}ms`}, true), set_config('enable_sort', 'off', true)`
    const [list] = await sql<[{ revision: number; now: string }]>`
      select coalesce((select revision from deal_lists where id = ${listIdOf(tenant)}), 0)::float8 as revision,
        ${isoOf(sql, 'now()')} as now`
    return { ...(await work(sql)), revision: list.revision, computedAt: new Date(list.now) }
  })) as T & { revision: number; computedAt: Date }
}

/**
 * Returns outdated totals of these kinds that may be recomputed, of lists longer than `longerThan`: recently
 * read ones first, then the oldest. Those of the list of all deals have no partner.
 * @system the worker
 */
export async function listOutdatedTotals(
  db: Database,
  kinds: { name: string; longerThan: number }[],
  limit: number,
): Promise<(TotalsKey & { partnerId: PartnerId | null })[]> {
  return db.$client<(TotalsKey & { partnerId: PartnerId | null })[]>`
    select nullif(list_id, ${listOfAll}) as "partnerId", kind, nullif(zone, '') as zone
    from list_totals kept join deal_lists list on list.id = list_id
    join json_to_recordset(${JSON.stringify(kinds)}::json) as known (name text, "longerThan" integer) on name = kind
    where deal_count > "longerThan" and due_at <= clock_timestamp()
      and (totals is null or kept.revision <> list.revision or valid_until <= clock_timestamp())
    order by read_at < clock_timestamp() - interval '1 hour', computed_at nulls first
    limit ${limit}`
}

/** Removes totals that nobody reads. @system the worker */
export async function removeUnreadTotals(db: Database): Promise<number> {
  const { count } = await db.$client`
    delete from list_totals where read_at < clock_timestamp() - ${unreadMs} * interval '1 ms'`
  return count
}
