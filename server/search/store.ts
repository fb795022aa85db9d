import type { Fragment, ISql, Row } from 'postgres'
import { type Database, type ReadDatabase, withReadOnly, withoutScans } from '#db/client.ts'
import { isEveryone } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { narrowMax } from '../deals/policy.ts'
import { renderVersion } from '../deals/render.ts'
import {
  boundsOf,
  firstOfFew,
  candidateQueries,
  orderOf,
  type DealOrder,
  type Order,
  type OrderField,
  hasOrder,
} from './candidate-store.ts'
import { type Query, conditionOf } from './condition-store.ts'
import type { Cursor, DealSort } from './wire.ts'

/** A matching deal and the cursor for the deals after it. */
export interface FoundDeal {
  id: bigint
  json: string
  given: number | null
  /** True if an older version rendered the deal. */
  isOld: boolean
  cursor: Cursor
}

/** Matching deals and the cursor of the next page, or null. An incomplete page may have a next page. */
export interface FoundPage {
  deals: FoundDeal[]
  next: Cursor | null
}

/** Maximum number of deals scanned in order before candidates are read from an index. */
const walkLength = 500

/**
 * Maximum number of deals scanned for a page if there are too many candidates. Also the number of extra deals
 * scanned before reading from an index, if these are likely to complete the page. Deals are stored roughly in
 * the order of their ids; in any other order, each deal is read from a different place on disk.
 */
const longWalkLengthOf = (field: OrderField) => (field === 'id' ? 12_000 : 3000)

/** Maximum number of candidates of a page. With more candidates, a scan soon finds matches. */
const fewMax = 2000

/**
 * Returns at most `limit` matching deals of the tenant after the cursor, in the given order, with unknown
 * values last. The fastest plan depends on how common matches are, which the planner estimates poorly. First
 * scans a bounded number of deals in order, which finds common matches quickly, and scans more if that is
 * likely to complete the page. If there are too few matches, reads candidates from an index. If there are too
 * many candidates, returns an incomplete page, and the next page continues the scan.
 */
export async function findDeals(
  db: ReadDatabase,
  query: Query,
  sort: DealOrder,
  cursor: Cursor | null,
  limit: number,
): Promise<FoundPage> {
  const found = await withoutScans(db, async (sql) => {
    const search = searchOf(sql, query, sort)
    if (search.isOrdered) return walkedPage(sql, search, cursor, limit)
    return candidatePage(sql, search, cursor, limit)
  })
  return found ?? withReadOnly(db, (sql) => scannedPage(sql, searchOf(sql, query, sort), cursor, limit))
}

/** Returns the first matching deals, at most `limit`, regardless of how many deals must be scanned. */
export async function findFirst(
  db: ReadDatabase,
  query: Query,
  sort: DealOrder,
  limit: number,
): Promise<FoundDeal[]> {
  const found: FoundDeal[] = []
  for (let cursor: Cursor | null = null; ;) {
    const { deals, next } = await findDeals(db, query, sort, cursor, limit - found.length)
    found.push(...deals)
    if (next === null || found.length === limit) return found
    cursor = next
  }
}

/** Returns the tenant's deals with these ids, by id, and whether each deal matches. */
export async function readAgain(
  { $client: sql }: Database,
  query: Query,
  ids: readonly bigint[],
): Promise<{ id: bigint; json: string; given: number | null; isMatch: boolean }[]> {
  const rows = await sql<{ id: string; json: string; given: number | null; isMatch: boolean }[]>`
    select id, json, given, coalesce((${conditionOf(sql, query)}), false) as "isMatch" from deals
    where id = any(${ids.map(String)}::bigint[]) and ${isWithin(sql, query.tenant)}
    order by id`
  return rows.map((row) => ({ ...row, id: BigInt(row.id) }))
}

/** A query and its sort order as SQL. */
export interface Search extends Query {
  matches: Fragment
  order: Order
  field: OrderField
  /** True if an index has the scanned deals in this order. */
  isOrdered: boolean
  /** A condition on the scanned deals that the index for the sort order can check. */
  walked: Fragment
  /**
   * The condition that limits the sort key to the filter's range, or undefined if the filter does not limit
   * the key.
   */
  bounds: Fragment | undefined
  /** True if deals with an unknown key may match. */
  hasUnknown: boolean
}

/** Compiles a query and its order to SQL. */
export function searchOf(sql: ISql, query: Query, sort: DealOrder): Search {
  const { tenant, filter } = query
  const bounds = boundsOf(sql, query, sort.field)
  const [stage, ...others] = filter.stages ?? []
  const isOfStage = sort.field === 'timeInCurrentStage' && Boolean(stage) && others.length === 0
  return {
    ...query,
    isOrdered: isOfStage || hasOrder(sort.field, isEveryone(tenant)),
    matches: conditionOf(sql, query),
    order: orderOf(sql, sort),
    field: sort.field,
    bounds,
    hasUnknown:
      sort.field !== 'id' &&
      (bounds === undefined || filter.stages?.includes('') === true || filter.states?.includes('') === true),
    walked: sql`${isWithin(sql, tenant)} and ${isOfStage ? sql`stage = ${stage!}` : sql`true`}`,
  }
}

interface DealRow extends Row {
  id: string
  json: string
  given: number | null
  isOld: boolean
  key: string | null
}

const cursorOf = ({ id, key }: Pick<DealRow, 'id' | 'key'>): Cursor => ({ key, id: BigInt(id) })
const toFound = ({ json, given, isOld, ...row }: DealRow): FoundDeal => ({
  id: BigInt(row.id),
  json,
  given,
  isOld,
  cursor: cursorOf(row),
})

/** Columns of a found deal besides its id and key. */
const foundColumns = (sql: ISql): Fragment => sql`json, given, render_version < ${renderVersion} as "isOld"`

/** Returns a page of these deals. If there are more, the rows include one extra deal. */
const pageOf = (rows: FoundDeal[], limit: number): FoundPage => ({
  deals: rows.slice(0, limit),
  next: rows.length > limit ? rows[limit - 1]!.cursor : null,
})

/**
 * Start position of a scan. Deals whose sort key is null come last and have `isKnown` false. `after` is null at
 * the start of either part.
 */
interface Place {
  isKnown: boolean
  after: Cursor | null
}

async function walkedPage(
  sql: ISql,
  search: Search,
  cursor: Cursor | null,
  limit: number,
): Promise<FoundPage> {
  const found: FoundDeal[] = []
  const withMark = ({ deals, next }: FoundPage, isLong: boolean): FoundPage => ({
    deals,
    next: next === null || !isLong ? next : { ...next, isLong },
  })
  let place: Place = { isKnown: cursor === null || cursor.key !== null, after: cursor }
  const isLong = cursor?.isLong === true
  const longWalkLength = longWalkLengthOf(search.field)
  let length = isLong ? longWalkLength : walkLength
  for (;;) {
    const walk = await walkDeals(sql, search, place, length, limit + 1 - found.length)
    found.push(...walk.deals)
    if (found.length > limit) return withMark(pageOf(found, limit), isLong)
    if (walk.end !== null) {
      if (isLong) return { deals: found, next: { ...walk.end, isLong } }
      // The next page starts with a short scan again, and may then use an index.
      if (length === longWalkLength) return { deals: found, next: walk.end }
      if (lengthFor(limit + 1 - found.length, found.length) <= longWalkLength) {
        place = { ...place, after: walk.end }
        length = longWalkLength
        continue
      }
      const page = await candidatePage(sql, search, cursor, limit)
      return page ?? { deals: found, next: { ...walk.end, isLong: true } }
    } else if (place.isKnown && search.hasUnknown) {
      place = { isKnown: false, after: null }
    } else {
      return { deals: found, next: null }
    }
  }
}

/** Estimates how many deals to scan for `wanted` more matches, based on the hit rate of the first scan. */
const lengthFor = (wanted: number, found: number) => (wanted / found) * walkLength

interface Walk {
  deals: FoundDeal[]
  /** Position where the scan stopped before the end, or null if it reached the end or found enough. */
  end: Cursor | null
}

/** Scans at most `length` deals in order, stopping when `limit` deals match. */
async function walkDeals(
  sql: ISql,
  { matches, order: { key, type, direction, beyond }, walked, bounds = sql`true` }: Search,
  { isKnown, after }: Place,
  length: number,
  limit: number,
): Promise<Walk> {
  const from = !isKnown
    ? sql`${key} is null and ${after === null ? sql`true` : sql`id ${beyond} ${String(after.id)}::bigint`}`
    : sql`${key} is not null and ${bounds} and ${after === null ? sql`true` : sql`(${key}, id) ${beyond} (${after.key}::text::${type}, ${String(after.id)}::bigint)`}`
  const order = sql`${key} ${direction}, id ${direction}`
  // Stops at the last requested match.
  const rows = await sql<DealRow[]>`
    select id, ${foundColumns(sql)}, ${key}::text as key
    from (select * from deals where ${walked} and ${from} order by ${order} limit ${length}) deals
    where ${matches} order by ${order} limit ${limit}`
  const deals = rows.map(toFound)
  if (deals.length === limit) return { deals, end: null }
  // Reads only the last scanned deal, because numbering all scanned deals takes 20% longer.
  const [last] = await sql<Pick<DealRow, 'id' | 'key'>[]>`
    select id, ${key}::text as key from deals where ${walked} and ${from}
    order by ${order} offset ${length - 1} limit 1`
  return { deals, end: last === undefined ? null : cursorOf(last) }
}

/** Returns a page of candidates from an index, or null if there are more than `fewMax` candidates. */
async function candidatePage(
  sql: ISql,
  search: Search,
  cursor: Cursor | null,
  limit: number,
): Promise<FoundPage | null> {
  for (const query of await queriesOfFew(sql, search)) {
    const deals = await sortedFew(sql, query, search, cursor, limit + 1)
    if (deals !== null) return pageOf(deals, limit)
  }
  return null
}

/**
 * Returns a query for a small set of deals that includes all matches, or null if every index has too many
 * candidates.
 */
export const fewMatches = async (sql: ISql, search: Search) =>
  firstOfFew(sql, await queriesOfFew(sql, search))

/** Returns queries that include all matches unless they return more than `narrowMax` deals. */
async function queriesOfFew(sql: ISql, search: Search): Promise<Fragment[]> {
  const { tenant, isOrdered } = search
  const queries = await candidateQueries(sql, search)
  if (isOrdered || isEveryone(tenant)) return queries
  return [
    ...queries,
    sql`select * from deals where partner_id = ${tenant} order by id limit ${narrowMax + 1}`,
  ]
}

/** Returns a page after reading all matches. Reads every deal if no index has the order. */
async function scannedPage(
  sql: ISql,
  search: Search,
  cursor: Cursor | null,
  limit: number,
): Promise<FoundPage> {
  const query = firstSorted(sql, sql`select * from deals where ${search.walked}`, search, cursor, limit + 1)
  return pageOf((await sql<DealRow[]>`${query}`).map(toFound), limit)
}

/** Returns the condition that a deal comes after the cursor. Unknown keys come last. */
function isAfter(sql: ISql, { key, type, beyond }: Order, cursor: Cursor | null): Fragment {
  if (cursor === null) return sql`true`
  const id = sql`${String(cursor.id)}::bigint`
  return cursor.key === null
    ? sql`${key} is null and id ${beyond} ${id}`
    : sql`(${key} is null or (${key}, id) ${beyond} (${cursor.key}::text::${type}, ${id}))`
}

/**
 * Returns a query's first matching deals after the cursor, sorted, or null if the query returns more than
 * `fewMax` deals.
 */
async function sortedFew(
  sql: ISql,
  query: Fragment,
  search: Search,
  cursor: Cursor | null,
  limit: number,
): Promise<FoundDeal[] | null> {
  // Runs the query only once, because every run on an index without an order takes the full time.
  const rows = await sql<(DealRow | { id: null })[]>`
    with few as materialized (select * from (${query}) candidates limit ${fewMax + 1}),
      number as (select count(*) <= ${fewMax} as is_few from few)
    select found.* from number left join (
      ${firstSorted(sql, sql`select few.* from few where (select is_few from number)`, search, cursor, limit)}
    ) found on true
    where is_few`
  if (rows.length === 0) return null
  return rows.filter((row) => row.id !== null).map(toFound)
}

const firstSorted = (
  sql: ISql,
  query: Fragment,
  { matches, order }: Search,
  cursor: Cursor | null,
  limit: number,
): Fragment => sql`
  select id, ${foundColumns(sql)}, ${order.key}::text as key from (${query}) deals where ${matches} and ${isAfter(sql, order, cursor)}
  order by ${order.key} ${order.direction} nulls last, id ${order.direction} limit ${limit}`

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
