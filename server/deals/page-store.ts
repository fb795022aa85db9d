import type { PendingQuery, Row } from 'postgres'
import type { Database } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { listIdOf } from './list-store.ts'
import { rerender, renderVersion } from './render.ts'
import type { ListPlace } from './wire.ts'

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
