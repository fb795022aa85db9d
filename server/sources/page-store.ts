import type { TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import { parseInt64 } from '../values/int64.ts'
import type { CrmStage } from './crm-source.ts'
import { saveNamedFiles } from './file-store.ts'
import type { PageFiles } from './named-files.ts'
import { comparisonMs, delayDays, delayMinMs, rejectsMax } from './policy.ts'
import type { SourceLease } from './store.ts'

/** A record that was not written, or was written without some of its values. */
export interface Reject {
  id: string
  name: string
  reason: string
  modifiedMs: number
  isWritten: boolean
}

/** Data to record in a page's transaction, besides its deals. */
export interface PageRecord {
  /** Start of the page. If the cursor has moved on, another process has already written the page. */
  at: { afterId: bigint; toMs: number | null; comparingAfter: string | null }
  /** Start of the next page, or null for records that were looked up by id. */
  next: { afterId: bigint } | { comparingAfter: string } | null
  read: number
  /** Number of records in the window, set with the first page. Null leaves the stored number unchanged. */
  total: number | null
  created: number
  updated: number
  unchanged: number
  differing: number
  comparison: number
  deals: { id: bigint; modifiedMs: number; partnerValue: string }[]
  /** Ids of all records on the page. Earlier rejections of these records are deleted. */
  ids: string[]
  rejects: Reject[]
  /** Files referenced by the deals on the page, or null if files are not followed. */
  files: PageFiles | null
}

/**
 * Returns a function that records a page in the transaction that writes its deals. The function returns false
 * if the lease is lost or the page was already written.
 * @system the sources
 */
export function recordingPage(
  lease: SourceLease,
  page: PageRecord,
): (sql: TransactionSql) => Promise<boolean> {
  return async (sql) => {
    const moved = await moveCursor(sql, lease, page)
    if (!moved) return false
    await saveDealsOfPage(sql, lease, page)
    await saveRejects(sql, lease, page)
    if (page.files !== null)
      await saveNamedFiles(sql, lease.id, {
        dealIds: page.deals.map(({ id }) => id),
        ...page.files,
        isChange: page.next === null || 'afterId' in page.next,
      })
    return true
  }
}

async function moveCursor(
  sql: TransactionSql,
  { id, leaseId }: SourceLease,
  page: PageRecord,
): Promise<boolean> {
  const { at, next, read, total, created, updated, unchanged, differing } = page
  const { afterId, comparingAfter } = { ...at, ...next }
  const isChanges = next !== null && 'afterId' in next
  const isComparing = next !== null && !isChanges
  const moved = await sql`
    update sources set
      after_id = ${String(afterId)}::bigint, comparing_after = ${comparingAfter}::text,
      window_read = window_read + ${isChanges ? read : 0}, window_total = coalesce(${total}::integer, window_total),
      compared = compared + ${isComparing ? read : 0}, differing = differing + ${differing},
      created = created + ${created}, updated = updated + ${updated}, unchanged = unchanged + ${unchanged}
    where id = ${id} and lease_id = ${leaseId} and after_id = ${String(at.afterId)}::bigint
      and to_ms is not distinct from ${at.toMs}::bigint
      and comparing_after is not distinct from ${at.comparingAfter}::text
    returning id`
  return moved.length > 0
}

async function saveDealsOfPage(sql: TransactionSql, { id }: SourceLease, { deals, comparison }: PageRecord) {
  if (deals.length === 0) return
  const rows = deals.map((deal) => ({
    deal_id: String(deal.id),
    modified_ms: deal.modifiedMs,
    partner_value: deal.partnerValue,
  }))
  await sql`
    insert into source_deals (deal_id, source_id, modified_ms, partner_value, comparison)
    select deal_id::bigint, ${id}, modified_ms, partner_value, ${comparison}
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as row (deal_id text, modified_ms bigint, partner_value text)
    on conflict (deal_id) do update set modified_ms = excluded.modified_ms,
      partner_value = excluded.partner_value, comparison = excluded.comparison
    where source_deals.source_id = excluded.source_id`
}

async function saveRejects(sql: TransactionSql, { id }: SourceLease, { ids, rejects }: PageRecord) {
  await sql`delete from source_rejects where source_id = ${id} and record_id = any(${ids}::text[])`
  if (rejects.length === 0) return
  await sql`
    insert into source_rejects (source_id, record_id, name, reason, is_written, modified_ms)
    select ${id}, row.id, row.name, row.reason, row."isWritten", row."modifiedMs"::bigint
    from json_to_recordset(${JSON.stringify(rejects)}::json)
      as row (id text, name text, reason text, "isWritten" boolean, "modifiedMs" float8)
    where (select count(*) from source_rejects where source_id = ${id}) < ${rejectsMax}
    on conflict do nothing`
}

export interface KnownDeal {
  /** Source of the deal, or null if it has none or the deal is unknown. */
  sourceId: number | null
  modifiedMs: number
  partnerValue: string
  isStored: boolean
}

/** Returns the stored state of these deals, by id. @system the sources */
export async function readKnownDeals(
  { $client: sql }: Database,
  ids: readonly bigint[],
): Promise<Map<bigint, KnownDeal>> {
  const rows = await sql<(KnownDeal & { id: string })[]>`
    select wanted.id, known.source_id as "sourceId", coalesce(known.modified_ms, 0)::float8 as "modifiedMs",
      coalesce(known.partner_value, '') as "partnerValue", deal.id is not null as "isStored"
    from unnest(${ids.map(String)}::bigint[]) as wanted (id)
      left join source_deals known on known.deal_id = wanted.id left join deals deal on deal.id = wanted.id`
  return new Map(rows.map(({ id, ...known }) => [BigInt(id), known]))
}

/**
 * Returns the last seen modification time of each of these records, including rejected records.
 * @system the sources
 */
export async function readSeen(
  { $client: sql }: Database,
  sourceId: number,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await sql<{ id: string; modifiedMs: number }[]>`
    select id, max(modified_ms)::float8 as "modifiedMs" from (
      select deal_id::text as id, modified_ms from source_deals
      where source_id = ${sourceId} and deal_id = any(${ids.filter((id) => parseInt64(id) !== null)}::bigint[])
      union all
      select record_id, modified_ms from source_rejects where source_id = ${sourceId} and record_id = any(${ids}::text[])
    ) as seen group by id`
  return new Map(rows.map(({ id, modifiedMs }) => [id, modifiedMs]))
}

/** Returns which of these deals come from the source. @system the sources */
export async function readOwn(
  { $client: sql }: Database,
  sourceId: number,
  ids: readonly string[],
): Promise<bigint[]> {
  const rows = await sql<{ id: string }[]>`
    select deal_id::text as id from source_deals where source_id = ${sourceId}
      and deal_id = any(${ids.filter((id) => parseInt64(id) !== null)}::bigint[]) order by deal_id`
  return rows.map(({ id }) => BigInt(id))
}

/**
 * Returns the source's deals with ids above `after`, if any, and up to `upTo`, except the given ids.
 * @system the sources
 */
export async function readOthers(
  { $client: sql }: Database,
  sourceId: number,
  { after, upTo, ids }: { after: bigint | null; upTo: bigint; ids: readonly bigint[] },
): Promise<bigint[]> {
  const rows = await sql<{ id: string }[]>`
    select deal_id::text as id from source_deals where source_id = ${sourceId}
      and deal_id <= ${String(upTo)}::bigint
      and (${after === null} or deal_id > ${String(after ?? 0)}::bigint)
    except select unnest(${ids.map(String)}::bigint[])::text`
  return rows.map(({ id }) => BigInt(id))
}

/** Opens a window. Returns false if the lease is lost. @proof the lease */
export async function openStoredWindow(
  { $client: sql }: Database,
  { id, leaseId }: SourceLease,
  { fromMs, toMs, afterId }: { fromMs: number; toMs: number; afterId: bigint },
): Promise<boolean> {
  const opened = await sql`
    update sources set from_ms = ${fromMs}, to_ms = ${toMs}, after_id = ${String(afterId)}::bigint, window_read = 0,
      window_total = null, window_began_at = clock_timestamp()
    where id = ${id} and lease_id = ${leaseId} and to_ms is null returning id`
  return opened.length > 0
}

/**
 * Closes the window. All changes up to its end have then been read, apart from changes that may still become
 * visible, judging by the longest delay of the last week. Returns false if the lease is lost.
 * @proof the lease
 */
export async function closeStoredWindow(
  { $client: sql }: Database,
  { id, leaseId }: SourceLease,
  { toMs, isDayReread }: { toMs: number; isDayReread: boolean },
): Promise<boolean> {
  const closed = await sql`
    update sources set from_ms = ${toMs}, to_ms = null,
      as_of = to_timestamp((${toMs} - greatest(${delayMinMs}::bigint, (select max(delay_ms) from source_delays
        where source_id = sources.id and day > current_date - ${delayDays}::integer))) / 1000.0),
      reread_at = case when ${isDayReread} or loaded_at is null then clock_timestamp() else reread_at end,
      loaded_at = coalesce(loaded_at, clock_timestamp()),
      compare_at = coalesce(compare_at, clock_timestamp() + ${comparisonMs} * interval '1 ms')
    where id = ${id} and lease_id = ${leaseId} and to_ms = ${toMs} returning id`
  return closed.length > 0
}

/** Records how late changes became visible. @system the sources */
export async function recordDelay(
  { $client: sql }: Database,
  sourceId: number,
  delayMs: number,
): Promise<void> {
  await sql`
    insert into source_delays as known (source_id, day, delay_ms) values (${sourceId}, current_date, ${Math.ceil(delayMs)})
    on conflict (source_id, day) do update set delay_ms = greatest(known.delay_ms, excluded.delay_ms)`
  await sql`delete from source_delays where source_id = ${sourceId} and day <= current_date - ${delayDays}::integer`
}

/** Begins a comparison if it is due. Returns the number of the comparison, or null. @proof the lease */
export async function beginComparison(
  { $client: sql }: Database,
  { id, leaseId }: SourceLease,
): Promise<number | null> {
  const [begun] = await sql<{ comparison: number }[]>`
    update sources set comparison = comparison + 1, comparing_after = '', compared = 0, differing = 0
    where id = ${id} and lease_id = ${leaseId} and comparing_after is null and loaded_at is not null
      and compare_at <= clock_timestamp()
    returning comparison`
  return begun?.comparison ?? null
}

/** Ends a comparison and schedules the next one. @proof the lease */
export async function endComparison(
  { $client: sql }: Database,
  { id, leaseId }: SourceLease,
  { nextMs, removed, waiting }: { nextMs: number; removed: number; waiting: number },
): Promise<void> {
  await sql`
    update sources set comparing_after = null, compared_at = clock_timestamp(), is_quiet = false,
      compare_at = clock_timestamp() + ${nextMs} * interval '1 ms', removed = removed + ${removed},
      removals_waiting = ${waiting}, removals_approved = 0, differing = differing + ${removed + waiting}
    where id = ${id} and lease_id = ${leaseId}`
}

/** Schedules a comparison now. @proof the lease */
export async function compareSoon({ $client: sql }: Database, { id, leaseId }: SourceLease): Promise<void> {
  await sql`update sources set compare_at = clock_timestamp()
    where id = ${id} and lease_id = ${leaseId} and loaded_at is not null`
}

/** Counts removed deals. @proof the lease */
export async function countRemoved(
  { $client: sql }: Database,
  { id }: SourceLease,
  removed: number,
): Promise<void> {
  await sql`update sources set removed = removed + ${removed} where id = ${id}`
}

/**
 * Records how far the list of archived deals has been read, or null if it was read to the end.
 * @proof the lease
 */
export async function saveArchivedPass(
  { $client: sql }: Database,
  { id, leaseId }: SourceLease,
  after: string | null,
): Promise<void> {
  await sql`
    update sources set archived_after = ${after},
      archived_read_at = case when ${after}::text is null then clock_timestamp() else archived_read_at end
    where id = ${id} and lease_id = ${leaseId}`
}

/** Returns deals of a source that a comparison has not seen, by ascending id. @system the sources */
export async function readUnmet(
  { $client: sql }: Database,
  sourceId: number,
  comparison: number,
  after: bigint,
  limit: number,
): Promise<bigint[]> {
  const rows = await sql<{ id: string }[]>`
    select deal_id as id from source_deals
    where source_id = ${sourceId} and comparison < ${comparison} and deal_id > ${String(after)}::bigint
    order by deal_id limit ${limit}`
  return rows.map(({ id }) => BigInt(id))
}

/** Deletes the link between a deal and a source, and the deal's files. @system the sources */
export async function deleteSourceDeal({ $client: sql }: Database, dealId: bigint): Promise<void> {
  await sql`delete from source_files where deal_id = ${String(dealId)}::bigint`
  await sql`delete from source_deals where deal_id = ${String(dealId)}::bigint`
}

/** A deal whose value maps to a different partner. */
export interface MisplacedDeal {
  id: bigint
  partnerId: number | null
}

/**
 * Returns deals whose partner no longer matches their value. Unmapped values are ignored unless the source
 * `names` partners.
 * @system the sources
 */
export async function readMisplaced(
  { $client: sql }: Database,
  sourceId: number,
  { names, limit }: { names: boolean; limit: number },
): Promise<MisplacedDeal[]> {
  const rows = await sql<{ id: string; partnerId: number | null }[]>`
    select known.deal_id as id, owner.partner_id as "partnerId"
    from source_deals known join deals deal on deal.id = known.deal_id
      left join source_partners owner on owner.source_id = known.source_id and owner.value = known.partner_value
    where known.source_id = ${sourceId} and (${names} or owner.partner_id is not null)
      and deal.partner_id is distinct from owner.partner_id
    order by known.deal_id limit ${limit}`
  return rows.map(({ id, partnerId }) => ({ id: BigInt(id), partnerId }))
}

/**
 * Saves the stages of a source. Returns stages that are new and stages that the source now describes
 * differently. The operator's settings of other stages are kept.
 * @system the sources
 */
export async function saveSourceStages(
  { $client: sql }: Database,
  sourceId: number,
  stages: readonly CrmStage[],
): Promise<CrmStage[]> {
  const rows = stages.map(({ pipelineId, stageId, ...stage }) => ({
    ...stage,
    pipeline_id: pipelineId,
    stage_id: stageId,
  }))
  return sql.begin(async (tx) => {
    const changed = await tx<Pick<CrmStage, 'pipelineId' | 'stageId'>[]>`
      insert into source_stages as known
        (source_id, pipeline_id, stage_id, pipeline, stage, kind, "order", probability)
      select ${sourceId}, pipeline_id, stage_id, pipeline, stage, kind, "order", probability
      from json_to_recordset(${JSON.stringify(rows)}::json) as row (pipeline_id text, stage_id text, pipeline text,
        stage text, kind text, "order" integer, probability double precision)
      on conflict (source_id, pipeline_id, stage_id) do update set pipeline = excluded.pipeline,
        stage = excluded.stage, kind = excluded.kind, "order" = excluded."order", probability = excluded.probability
      where (known.pipeline, known.stage, known.kind, known."order", known.probability) is distinct from
        (excluded.pipeline, excluded.stage, excluded.kind, excluded."order", excluded.probability)
      returning pipeline_id as "pipelineId", stage_id as "stageId"`
    // A changed label affects deals that have not changed themselves, so all deals are compared once.
    if (changed.length > 0)
      await tx`update sources set compare_at = now() where id = ${sourceId} and loaded_at is not null`
    const keys = new Set(changed.map(keyOf))
    return stages.filter((stage) => keys.has(keyOf(stage)))
  }) as Promise<CrmStage[]>
}

/**
 * Returns the stages that the source used to have, such as those of an archived pipeline. Deals may still be
 * in these stages.
 * @system the sources
 */
export async function readFormerStages(
  { $client: sql }: Database,
  sourceId: number,
  stages: readonly CrmStage[],
): Promise<CrmStage[]> {
  const rows = await sql<CrmStage[]>`
    select pipeline_id as "pipelineId", stage_id as "stageId", pipeline, stage, kind, "order", probability
    from source_stages where source_id = ${sourceId}`
  const present = new Set(stages.map(keyOf))
  return rows.filter((stage) => !present.has(keyOf(stage)))
}

const keyOf = ({ pipelineId, stageId }: Pick<CrmStage, 'pipelineId' | 'stageId'>) =>
  `${pipelineId} ${stageId}`

/**
 * Completes the move of deals, unless an operator has requested another move in the meantime.
 * @proof the lease
 */
export async function endPlacing(
  { $client: sql }: Database,
  { id, leaseId }: SourceLease,
  placingAt: Date,
): Promise<void> {
  await sql`
    update sources set placing_at = null
    where id = ${id} and lease_id = ${leaseId} and date_trunc('milliseconds', placing_at) <= ${placingAt.toISOString()}`
}
