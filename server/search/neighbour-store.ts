import type { Database } from '#db/client.ts'
import { isWithin } from '../accounts/tenant-store.ts'
import { type Query } from './condition-store.ts'
import { orderOf } from './order-store.ts'
import { type FoundDeal, findDeals } from './store.ts'
import type { Cursor, DealSort } from './wire.ts'

/** Ids of the deals before and after a deal in a list, or null at the ends of the list. */
export interface NeighbourIds {
  previous: bigint | null
  next: bigint | null
}

/** Maximum number of bounded scans when searching for a neighbor. */
const walksMax = 3

/**
 * Returns the neighbors of a deal in the list of matching deals. If the deal does not match, returns the
 * neighbors of the position where it would be.
 */
export async function findNeighbours(
  db: Database,
  query: Query,
  sort: DealSort,
  id: bigint,
): Promise<NeighbourIds> {
  const { $client: sql } = db
  const [deal] = await sql<{ key: string | null }[]>`
    select ${orderOf(sql, sort).key}::text as key from deals
    where id = ${String(id)} and ${isWithin(sql, query.tenant)}`
  if (deal === undefined) return { previous: null, next: null }
  const here: Cursor = { key: deal.key, id }
  const back: DealSort = { field: sort.field, direction: sort.direction === 'asc' ? 'desc' : 'asc' }
  const after = (order: DealSort, cursor: Cursor | null) => findAfter(db, query, order, cursor)
  const isKnown = (found: FoundDeal | null) => (found === null || found.cursor.key === null ? null : found)
  // Unknown values sort last in both directions, so the last known value precedes the first unknown one.
  const before = async () =>
    deal.key === null
      ? ((await after(back, here)) ?? isKnown(await after(back, null)))
      : isKnown(await after(back, here))
  const [previous, next] = await Promise.all([before(), after(sort, here)])
  return { previous: previous?.cursor.id ?? null, next: next?.cursor.id ?? null }
}

/** Returns the first matching deal after a cursor, or null if a few scans find no match. */
async function findAfter(
  db: Database,
  query: Query,
  sort: DealSort,
  from: Cursor | null,
): Promise<FoundDeal | null> {
  let cursor = from
  for (let walks = 0; walks < walksMax; walks++) {
    const { deals, next } = await findDeals(db, query, sort, cursor, 1)
    if (deals[0] !== undefined) return deals[0]
    if (next === null) return null
    cursor = next
  }
  return null
}
