import type { PendingQuery, Row, TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import { type PartnerId, type TenantScope, isEveryone } from '../accounts/partner.ts'
import { usualZone } from '../accounts/usual-zone.ts'
import { rerender, renderVersion } from './render.ts'
import type { ListPlace } from './wire.ts'

/**
 * The ID of the list of all deals, which only internal tokens read. The ID of any other list is that of its
 * partner.
 */
export const listOfAll = 0

/** Returns the ID of the tenant's list. */
export const listIdOf = (tenant: TenantScope): number => (isEveryone(tenant) ? listOfAll : tenant)

/** Gaps are closed when there are more than this many, and more than one for every ten deals. */
const gapsMax = 1000

interface ListedDeal {
  dealId: bigint
  listId: number
}

/**
 * Locks the lists, so that only one writer changes deals at a time. Creates missing lists of these partners.
 * @system the writer of deals
 */
export async function lockLists(sql: TransactionSql, partnerIds: number[]): Promise<void> {
  const ids = [...new Set([listOfAll, ...partnerIds])].toSorted((a, b) => a - b)
  await Promise.all([
    sql`
      insert into deal_lists (id) select id from partners where id = any(${ids}::integer[]) union all values (${listOfAll}::integer)
      on conflict do nothing`,
    sql`select from deal_lists where id = ${listOfAll} for update`,
  ])
}

/** Returns the number of deals without a partner. @system operators */
export async function countWithoutPartner({ $client: sql }: Database): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select coalesce(sum(case when id = ${listOfAll} then deal_count else -deal_count end), 0)::float8 as count
    from deal_lists`
  return row.count
}

/** Deals to append to a list, in order, and the number of new events of the list's partner. */
interface ListGrowth {
  listId: number
  dealIds?: bigint[]
  eventCount?: number
}

/**
 * Appends deals to lists, assigns sequences to events, and increases revisions. Revisions include the clock
 * time, so that they stay unique after a backup is restored. Returns each list's last sequence before the new
 * events.
 * @system the writer of deals
 */
export async function growLists(sql: TransactionSql, lists: ListGrowth[]): Promise<Map<number, number>> {
  const places = lists.flatMap(({ listId, dealIds = [] }) =>
    dealIds.map((dealId, index) => ({ listId, number: index + 1, dealId: String(dealId) })),
  )
  const grown = await sql<{ id: number; sequence: string }[]>`
    with grown as (
      update deal_lists list
      set deal_count = deal_count + growth.deals, last_position = last_position + growth.deals,
        last_sequence = last_sequence + growth.events,
        revision = greatest(revision + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
      from unnest(${lists.map(({ listId }) => listId)}::integer[], ${lists.map(({ dealIds = [] }) => dealIds.length)}::integer[],
        ${lists.map(({ eventCount = 0 }) => eventCount)}::integer[]) as growth (id, deals, events)
      where list.id = growth.id
      returning list.id, last_position - growth.deals as position, last_sequence - growth.events as sequence
    ), placed as (
      insert into deal_places (list_id, position, deal_id)
      select grown.id, grown.position + place.number, place.deal_id
      from grown join unnest(${places.map(({ listId }) => listId)}::integer[],
        ${places.map(({ number }) => number)}::integer[], ${places.map(({ dealId }) => dealId)}::bigint[])
        as place (list_id, number, deal_id) on place.list_id = grown.id)
    select id, sequence from grown`
  if (grown.length < lists.length) throw new Error('deals are to be listed for a partner that does not exist')
  return new Map(grown.map(({ id, sequence }) => [id, Number(sequence)]))
}

/**
 * Removes deals from lists, which leaves gaps. Withdraws pending deliveries about these deals to the list's
 * partner.
 * @system the writer of deals
 */
export async function removeFromLists(sql: TransactionSql, places: ListedDeal[]): Promise<void> {
  if (places.length === 0) return
  const dealIds = places.map(({ dealId }) => String(dealId))
  // Uses a single statement for all lists, so that the trigger `withdraw_deliveries` locks rows in a
  // consistent order.
  const left = await sql<{ listId: number; count: number }[]>`
    with place as (
      delete from deal_places where deal_id = any(${dealIds}::bigint[])
        and (list_id, deal_id) in (
          select * from unnest(${places.map(({ listId }) => listId)}::integer[], ${dealIds}::bigint[]))
      returning list_id, position
    ), gap as (
      insert into deal_gaps (list_id, position, deals_before) select list_id, position, 0 from place)
    select list_id as "listId", count(*)::integer as count from place group by list_id`
  for (const { listId, count } of left) {
    const [list] = await sql<[{ dealCount: string; gapCount: string }]>`
      update deal_lists set deal_count = deal_count - ${count} where id = ${listId}
      returning deal_count as "dealCount",
        (select count(*) from deal_gaps where list_id = ${listId}) as "gapCount"`
    if (Number(list.gapCount) > gapsMax && Number(list.gapCount) * 10 > Number(list.dealCount))
      await closeGaps(sql, listId)
    else await numberGaps(sql, listId)
  }
}

async function numberGaps(sql: TransactionSql, listId: number): Promise<void> {
  await sql`
    update deal_gaps gap set deals_before = numbered.deals_before
    from (
      select position, position - row_number() over (order by position) as deals_before
      from deal_gaps where list_id = ${listId}
    ) numbered
    where gap.list_id = ${listId} and gap.position = numbered.position
      and gap.deals_before <> numbered.deals_before`
}

// Clients can continue reading a list until its gaps have been closed this many times.
const closingsKept = 3

/** Closes the gaps of a list by moving deals up. Keeps the order of the deals. */
async function closeGaps(sql: TransactionSql, listId: number): Promise<void> {
  await sql`set local statement_timeout = 0`
  // Moves via negative positions, because PostgreSQL checks a unique index row by row.
  await sql`
    update deal_places place set position = -numbered.place
    from (
      select position, row_number() over (order by position) as place from deal_places
      where list_id = ${listId}) numbered
    where place.list_id = ${listId} and place.position = numbered.position`
  await sql`update deal_places set position = -position where list_id = ${listId}`
  await sql`
    with list as (
      update deal_lists set last_position = deal_count, closings = closings + 1 where id = ${listId}
      returning closings - 1 as closing
    ), closed as (
      delete from deal_gaps where list_id = ${listId} returning position
    ), forgotten as (
      delete from closed_gaps using list where list_id = ${listId} and closed_gaps.closing <= list.closing - ${closingsKept}
    )
    insert into closed_gaps (list_id, closing, position, gap_count)
    select ${listId}::integer, list.closing, closed.position, row_number() over (order by closed.position)
    from closed, list`
}

/** A page of a list: its deals as JSON, separated by commas, and the number of deals in the entire list. */
export interface StoredPage {
  count: number
  dealsJson: string
  /** The place of the last deal on this page, if more deals follow. */
  next: ListPlace | null
}

/**
 * Returns page number `page` (from 1) of the tenant's deals, with `size` deals per page. The cost depends
 * only on `size`: a single index lookup finds the first position by adding the number of gaps before it.
 */
export async function readPage(
  db: Database,
  tenant: TenantScope,
  page: number,
  size: number,
): Promise<StoredPage> {
  const sql = db.$client
  const first = (page - 1) * size + 1
  const { last, ...rows } = await readRows(
    db,
    tenant,
    size,
    sql`position >= ${first}::bigint + coalesce((
      select position - deals_before from deal_gaps
      where list_id = ${listIdOf(tenant)} and deals_before < ${first}::bigint
      order by deals_before desc, position desc limit 1), 0)`,
  )
  return { ...rows, next: page * size < rows.count ? last : null }
}

/**
 * Returns `size` of the tenant's deals after a place. Deals that have been removed or moved up since then do
 * not affect the result. Returns null if the place is too old.
 */
export async function readPageAfter(
  db: Database,
  tenant: TenantScope,
  after: ListPlace,
  size: number,
): Promise<StoredPage | null> {
  const sql = db.$client
  const { last, ...rows } = await readRows(db, tenant, size, sql`position > ${after.position}::bigint`)
  if (rows.closings === after.closings) {
    const [row] = await sql<[{ hasMore: boolean }]>`
      select exists(select from deal_places
        where list_id = ${listIdOf(tenant)} and position > ${last?.position ?? null}::bigint) as "hasMore"`
    return { ...rows, next: row.hasMore ? last : null }
  }
  // The list's gaps have been closed since then, which is rare.
  const [closed] = await sql<[{ isKept: boolean; gapCount: number }]>`
    select exists(select from closed_gaps
        where list_id = ${listIdOf(tenant)} and closing = ${after.closings}) as "isKept",
      coalesce((select gap_count from closed_gaps
        where list_id = ${listIdOf(tenant)} and closing = ${after.closings} and position <= ${after.position}
        order by position desc limit 1), 0)::float8 as "gapCount"`
  if (!closed.isKept) return null
  const moved = { closings: after.closings + 1, position: after.position - closed.gapCount }
  return readPageAfter(db, tenant, moved, size)
}

/** Reads deals of a list in order, starting where the condition is met. */
async function readRows(db: Database, tenant: TenantScope, size: number, from: PendingQuery<Row[]>) {
  const sql = db.$client
  const [row] = await sql<[StoredRows]>`
    select (select deal_count::float8 from deal_lists where id = ${listIdOf(tenant)}) as count,
      (select closings from deal_lists where id = ${listIdOf(tenant)}) as closings,
      max(place.position)::float8 as "lastPosition",
      coalesce(string_agg(deals.json, ',' order by place.position), '') as "dealsJson",
      bool_and(deals.render_version >= ${renderVersion}) as "isCurrent"
    from (
      select position, deal_id from deal_places
      where list_id = ${listIdOf(tenant)} and ${from}
      -- A literal, not a parameter: the planner has to know that 25 rows are few.
      order by position limit ${sql.unsafe(String(Math.trunc(size)))}
    ) place join deals on deals.id = place.deal_id`
  const closings = row.closings ?? 0
  return {
    count: row.count ?? 0,
    closings,
    dealsJson: row.isCurrent === false ? rerender(row.dealsJson) : row.dealsJson,
    last: row.lastPosition === null ? null : { closings, position: row.lastPosition },
  }
}

interface StoredRows {
  /** Null if the list has never contained a deal. */
  count: number | null
  closings: number | null
  /** Null if the page is empty. */
  lastPosition: number | null
  dealsJson: string
  isCurrent: boolean | null
}

/**
 * Returns the partners whose number of deals has doubled since their usual time zone was last updated.
 * @system the worker
 */
export async function findGrownPartners({ $client: sql }: Database): Promise<PartnerId[]> {
  const grown = await sql<{ id: PartnerId }[]>`
    select partners.id from partners join deal_lists using (id)
    where deal_lists.deal_count > 0 and deal_lists.deal_count >= 2 * partners.usual_zone_deals`
  return grown.map(({ id }) => id)
}

/**
 * Updates a partner's usual time zone. The zone is stored, so that pages do not have to count deals, and so
 * that it does not change often.
 */
export async function updateUsualZone({ $client: sql }: Database, partnerId: PartnerId): Promise<void> {
  const counts = await sql<{ state: string; count: number }[]>`
    select coalesce(state, '') as state, count(*)::float8 as count from deals where partner_id = ${partnerId} group by 1`
  const deals = counts.reduce((sum, { count }) => sum + count, 0)
  await sql`update partners set usual_zone = ${usualZone(counts)}, usual_zone_deals = ${deals} where id = ${partnerId}`
}

/** Updates the usual time zones of all partners whose number of deals has doubled. @system imports */
export async function updateUsualZones(db: Database): Promise<void> {
  for (const partnerId of await findGrownPartners(db)) await updateUsualZone(db, partnerId)
}
