import type { ISql } from 'postgres'
import type { Database, ReadDatabase } from '#db/client.ts'
import type { Owner, TenantScope } from '../accounts/partner.ts'
import { listIdOf, listOfAll } from '../deals/list-store.ts'
import { dayMs, minuteMs, secondMs } from '../values/units.ts'
import type { Zone } from '../values/zone.ts'

/** Identifies the totals of a tenant's list. */
export interface TotalsKey {
  tenant: TenantScope
  /** Kind of totals and version of their JSON: `overview-1`. */
  kind: string
  /** Null if the totals do not depend on days. */
  zone: Zone | null
}

/** Size and revision of a list, and its stored totals. */
export interface TotalsState {
  dealCount: number
  revision: number
  /** Null until first computed. */
  stored: (StoredTotals & { json: string; computedAt: Date }) | null
  /** True if nobody is computing the totals and the pause since the last computation is over. */
  isDue: boolean
  /** True if the totals were last read over an hour ago. */
  isUnread: boolean
}

/** Returns the state of the tenant's list and of its totals. */
export async function readTotalsState(db: Database, { tenant, kind, zone }: TotalsKey): Promise<TotalsState> {
  const [row] = await db.$client<
    {
      dealCount: number
      listRevision: number
      json: string | null
      revision: number
      validUntil: string | null
      computedAt: string
      isDue: boolean
      isUnread: boolean
    }[]
  >`
    select deal_count::float8 as "dealCount", list.revision::float8 as "listRevision", totals as json,
      stored.revision::float8 as revision, ${isoOf(db.$client, 'valid_until')} as "validUntil",
      ${isoOf(db.$client, 'computed_at')} as "computedAt", coalesce(due_at <= clock_timestamp(), true) as "isDue",
      coalesce(read_at < clock_timestamp() - interval '1 hour', false) as "isUnread"
    from deal_lists list left join list_totals stored
      on list_id = list.id and kind = ${kind} and zone = ${zone ?? ''}
    where list.id = ${listIdOf(tenant)}`
  if (row === undefined) return { dealCount: 0, revision: 0, stored: null, isDue: true, isUnread: false }
  const { dealCount, listRevision, json, revision, validUntil, computedAt, ...state } = row
  return {
    dealCount,
    revision: listRevision,
    stored:
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

const isOf = (sql: ISql, { tenant, kind, zone }: TotalsKey) =>
  sql`list_id = ${listIdOf(tenant)} and kind = ${kind} and zone = ${zone ?? ''}`

/** Records that the totals were read. */
export async function recordTotalsRead({ $client: sql }: Database, key: TotalsKey): Promise<void> {
  await sql`update list_totals set read_at = clock_timestamp() where ${isOf(sql, key)}`
}

/**
 * Marks totals as being counted, so that no other process recomputes these totals. Returns a mark, without
 * which the result cannot be stored. Waits for concurrent writes of the row to commit.
 */
export async function beginCount(
  { $client: sql }: Database,
  { tenant, kind, zone }: TotalsKey,
  isAhead: boolean,
): Promise<string> {
  const [row] = await sql<[{ from: string }]>`
    insert into list_totals (list_id, kind, zone, due_at, read_at)
      values (${listIdOf(tenant)}, ${kind}, ${zone ?? ''}, clock_timestamp() + ${countMaxMs} * interval '1 ms',
        -- Totals that are being read come first.
        ${agoOf(sql, isAhead ? dayMs : 0)})
    on conflict (list_id, kind, zone) do update set due_at = excluded.due_at
    returning due_at::text as from`
  return row.from
}

/** Totals of a list at a revision. */
export interface CountedTotals extends StoredTotals {
  json: string
  computedAt: Date
}

/** Stores the totals and starts their pause, unless another count has replaced the mark `from`. */
export async function saveTotals(
  { $client: sql }: Database,
  key: TotalsKey,
  from: string,
  { json, revision, validUntil, computedAt }: CountedTotals,
  restMs: number,
): Promise<void> {
  await sql`
    update list_totals set totals = ${json}, revision = ${revision}::bigint,
      valid_until = ${validUntil?.toISOString() ?? null}::timestamptz,
      computed_at = ${computedAt.toISOString()}::timestamptz,
      due_at = clock_timestamp() + ${restMs}::float8 * interval '1 ms'
    where ${isOf(sql, key)} and due_at = ${from}::timestamptz`
}

/** Starts the pause for totals that could not be computed. */
export async function restTotals(
  { $client: sql }: Database,
  key: TotalsKey,
  from: string,
  restMs: number,
): Promise<void> {
  await sql`
    update list_totals set due_at = clock_timestamp() + ${restMs}::float8 * interval '1 ms'
    where ${isOf(sql, key)} and due_at = ${from}::timestamptz`
}

/** A tenant, and the zone in which its days are counted. */
export interface ZonedTenant {
  tenant: TenantScope
  zone: Zone
}

/** A tenant's deals in a read transaction, and the current time and day. Stored totals use one snapshot. */
export interface DealSnapshot extends ZonedTenant {
  sql: ISql
  now: Date
  today: string
}

/** Runs the work on a snapshot that includes the list's revision, for at most one minute. */
export async function withListSnapshot<T>(
  db: ReadDatabase,
  tenant: TenantScope,
  work: (sql: ISql) => Promise<T>,
): Promise<T & { revision: number; computedAt: Date }> {
  return (await db.$client.begin('isolation level repeatable read read only', async (sql) => {
    // The planner cannot know that sorting is never worthwhile for a few groups with many rows.
    await sql`select set_config('statement_timeout', ${`${countMaxMs}ms`}, true), set_config('enable_sort', 'off', true)`
    const [list] = await sql<[{ revision: number; now: string }]>`
      select coalesce((select revision from deal_lists where id = ${listIdOf(tenant)}), 0)::float8 as revision,
        ${isoOf(sql, 'now()')} as now`
    return { ...(await work(sql)), revision: list.revision, computedAt: new Date(list.now) }
  })) as T & { revision: number; computedAt: Date }
}

/** Totals that a job counts. The zone is null if the totals do not depend on days. */
type TotalsOfList = Omit<TotalsKey, 'tenant'> & { listId: number }

/** A kind of totals, stored for lists longer than `longerThan`. */
interface CountedKind {
  name: string
  isByZone: boolean
  longerThan: number
}

const knownKinds = (sql: ISql, kinds: CountedKind[]) =>
  sql`json_to_recordset(${JSON.stringify(kinds)}::json) as known (name text, "isByZone" boolean, "longerThan" integer)`

/**
 * Returns outdated totals that may be recomputed: recently read totals first, then the oldest.
 * @system the worker
 */
export async function listOutdatedTotals(
  { $client: sql }: Database,
  kinds: CountedKind[],
  limit: number,
): Promise<TotalsOfList[]> {
  return sql<TotalsOfList[]>`
    select list_id as "listId", kind, nullif(zone, '') as zone
    from list_totals stored join deal_lists list on list.id = list_id join ${knownKinds(sql, kinds)} on name = kind
    where deal_count > "longerThan" and due_at <= clock_timestamp()
      and (totals is null or stored.revision <> list.revision or valid_until <= clock_timestamp())
    order by read_at < clock_timestamp() - interval '1 hour', computed_at nulls first
    limit ${limit}`
}

/** A reader of a list, with their time zone. */
export interface Reader {
  /** The reader's partner, or null for operators, who see all partners. */
  owner: Owner
  zone: Zone
}

/** Returns the totals that readers need and that are not stored yet. @system the worker */
export async function listMissingTotals(
  { $client: sql }: Database,
  kinds: CountedKind[],
  readers: readonly Reader[],
): Promise<TotalsOfList[]> {
  return sql<TotalsOfList[]>`
    select distinct list.id as "listId", name as kind, case when "isByZone" then reader.zone end as zone
    from json_to_recordset(${JSON.stringify(readers)}::json) as reader (owner integer, zone text)
    join deal_lists list on list.id = coalesce(owner, ${listOfAll})
    join ${knownKinds(sql, kinds)} on deal_count > "longerThan"
    where not exists (
      select from list_totals stored where list_id = list.id and kind = name
        and stored.zone = case when "isByZone" then reader.zone else '' end
        and (totals is not null or due_at > clock_timestamp()))`
}

/** Removes totals that nobody reads. @system the worker */
export async function removeUnreadTotals(db: Database): Promise<number> {
  const { count } = await db.$client`
    delete from list_totals where read_at < clock_timestamp() - ${unreadMs} * interval '1 ms'`
  return count
}

/** Lists of up to this many deals are counted on each request, which takes about 30 ms. */
export const countedAtOnceMax = 20_000

/** Maximum duration of a computation. */
export const countMaxMs = minuteMs

/** Totals that were not read for this long are removed. */
export const unreadMs = 7 * dayMs

/** Totals outdated for longer than this are recomputed before they are returned. */
export const staleMs = minuteMs

/** Stored totals of a list. */
export interface StoredTotals {
  /** The list revision that the totals count. */
  revision: number
  /** Null if the totals are valid until the list changes. */
  validUntil: Date | null
}

/** Returns true if stored totals match this list revision at `now`. */
export const isCurrent = ({ revision, validUntil }: StoredTotals, listRevision: number, now: Date) =>
  revision === listRevision && (validUntil === null || now < validUntil)

/** Computing totals may take at most 1/`restFactor` of the time, both per list and for the worker. */
const restFactor = 10

/** Returns the minimum time in milliseconds until totals may be computed again. */
export const restMs = (tookMs: number) => Math.max(5 * secondMs, restFactor * tookMs)

/** Returns the worker's pause in milliseconds after a computation that took `tookMs`. */
export const workerRestMs = (tookMs: number) => (restFactor - 1) * tookMs
