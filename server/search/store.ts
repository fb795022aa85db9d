import type { Fragment, ISql, Row } from 'postgres'
import { type Database, type ReadDatabase, withReadOnly, withoutScans } from '#db/client.ts'
import { isEveryone } from '../accounts/partner.ts'
import { isWithin } from '../accounts/tenant-store.ts'
import { narrowMax } from '../deals/policy.ts'
import { renderVersion } from '../deals/render.ts'
import { boundsOf, firstOfFew, candidateQueries } from './candidate-queries.ts'
import { type Query, conditionOf } from './condition-store.ts'
import { type DealOrder, type Order, type OrderField, hasOrder, orderOf } from './order-store.ts'
import type { Cursor } from './wire.ts'

/** A matching deal, and the cursor after it. */
export interface FoundDeal {
  json: string
  given: number | null
  /** Whether an older version rendered it. */
  isOld: boolean
  cursor: Cursor
}

/**
 * Matching deals, and the cursor of the next page; null if there is none. An incomplete page may have a next
 * one.
 */
export interface FoundPage {
  deals: FoundDeal[]
  next: Cursor | null
}

/** Maximum deals scanned in order before an index is asked for candidates. */
const walkLength = 500

/**
 * Maximum deals scanned for one page if there are too many candidates, and extra deals scanned before an
 * index is asked if these are likely to complete the page. Deals are stored about in the order of their ids; in any other
 * order, each is read from a place of its own.
 */
const longWalkLengthOf = (field: OrderField) => (field === 'id' ? 12_000 : 3000)

/** Maximum candidates of a page: of more, a scan finds some soon. */
const fewMax = 2000

/**
 * Returns at most `limit` matching deals of the tenant after the cursor, in the given order; unknown values
 * sort last. The fastest plan depends on how common matches are, which the planner estimates badly. First
 * scans a bounded number of deals in order, which finds common matches at once, and some more if these are
 * likely to complete the page. If there are too few matches, reads candidates from an index. If there are too
 * many candidates, returns an incomplete page; the next page continues the scan.
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

/** Returns the first matching deals, at most `limit`, however many must be scanned. */
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

/** Returns the tenant's deals with these ids, by id, and whether each matches. */
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
  /** Whether an index has the scanned deals in this order. */
  isOrdered: boolean
  /** A condition on the scanned deals that the index of the order serves as well. */
  walked: Fragment
  /** The condition that the order's key is in the filter's range; undefined without one. */
  bounds: Fragment | undefined
  /** Whether deals with an unknown key may match. */
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
  json,
  given,
  isOld,
  cursor: cursorOf(row),
})

/** The columns of a found deal, besides its id and its key. */
const foundColumns = (sql: ISql): Fragment => sql`json, given, render_version < ${renderVersion} as "isOld"`

/** Returns a page of these deals; one extra deal was read if there are more. */
const pageOf = (rows: FoundDeal[], limit: number): FoundPage => ({
  deals: rows.slice(0, limit),
  next: rows.length > limit ? rows[limit - 1]!.cursor : null,
})

/** Where a scan begins: among deals with a known key, or after them; `after` is null at its start. */
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
      // The next page begins with a short scan again, after which it may ask an index.
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

/** Estimates how many deals to scan for `wanted` more matches at the first scan's hit rate. */
const lengthFor = (wanted: number, found: number) => (wanted / found) * walkLength

interface Walk {
  deals: FoundDeal[]
  /** Where the scan stopped with more to read; null if it reached the end or has found enough. */
  end: Cursor | null
}

/** Scans at most `length` deals in order, until `limit` match. */
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
  // Ends with the last requested match.
  const rows = await sql<DealRow[]>`
    select id, ${foundColumns(sql)}, ${key}::text as key
    from (select * from deals where ${walked} and ${from} order by ${order} limit ${length}) deals
    where ${matches} order by ${order} limit ${limit}`
  const deals = rows.map(toFound)
  if (deals.length === limit) return { deals, end: null }
  // Reads only the last scanned deal, because numbering all of them takes a fifth longer.
  const [last] = await sql<Pick<DealRow, 'id' | 'key'>[]>`
    select id, ${key}::text as key from deals where ${walked} and ${from}
    order by ${order} offset ${length - 1} limit 1`
  return { deals, end: last === undefined ? null : cursorOf(last) }
}

/** Returns a page of candidates from an index; null if there are more than `fewMax`. */
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

/** Returns a query for few deals that contains all matches; null if each index has too many candidates. */
export const fewMatches = async (sql: ISql, search: Search) =>
  firstOfFew(sql, await queriesOfFew(sql, search))

/** Returns queries that contain all matches unless they return more than `narrowMax`. */
async function queriesOfFew(sql: ISql, search: Search): Promise<Fragment[]> {
  const { tenant, isOrdered } = search
  const queries = await candidateQueries(sql, search)
  if (isOrdered || isEveryone(tenant)) return queries
  return [
    ...queries,
    sql`select * from deals where partner_id = ${tenant} order by id limit ${narrowMax + 1}`,
  ]
}

/** Returns a page of all matches; reads every deal if no index has the order. */
const scannedPage = async (
  sql: ISql,
  search: Search,
  cursor: Cursor | null,
  limit: number,
): Promise<FoundPage> =>
  pageOf(await sorted(sql, sql`select * from deals where ${search.walked}`, search, cursor, limit + 1), limit)

/** Returns the condition that a deal comes after the cursor; unknown keys come last. */
function isAfter(sql: ISql, { key, type, beyond }: Order, cursor: Cursor | null): Fragment {
  if (cursor === null) return sql`true`
  const id = sql`${String(cursor.id)}::bigint`
  return cursor.key === null
    ? sql`${key} is null and id ${beyond} ${id}`
    : sql`(${key} is null or (${key}, id) ${beyond} (${cursor.key}::text::${type}, ${id}))`
}

/** Returns a query's first matching deals after the cursor, sorted. */
async function sorted(
  sql: ISql,
  query: Fragment,
  search: Search,
  cursor: Cursor | null,
  limit: number,
): Promise<FoundDeal[]> {
  const rows = await sql<DealRow[]>`${firstSorted(sql, query, search, cursor, limit)}`
  return rows.map(toFound)
}

/**
 * Returns a query's first matching deals after the cursor, sorted; null if it returns more than `fewMax`.
 */
async function sortedFew(
  sql: ISql,
  query: Fragment,
  search: Search,
  cursor: Cursor | null,
  limit: number,
): Promise<FoundDeal[] | null> {
  // Runs once: an index without an order would take as long again for each query on it.
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
