import type { Fragment, ISql } from 'postgres'
import { type ReadDatabase, withoutScans } from '#db/client.ts'
import { type TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { listIdOf } from '../deals/list-store.ts'
import { countScanLimit, narrowMax } from '../deals/policy.ts'
import { candidateQueries } from './candidate-store.ts'
import { type Query, conditionOf } from './condition-store.ts'
import { isEmpty } from './filters.ts'
import { eventsWithNews } from './news-store.ts'

/** Maximum number of matches counted when there are many. */
export const countedMax = 10_000

/** Counting through an index stops after this many matches. */
const manyMin = 1000

/** Lists up to this length are counted in full. */
export const scanMax = 50_000

/** Number of matching deals. `isMore` is set if there may be more. */
export interface DealCount {
  count: number
  isMore: boolean
  amount: number | null
  withoutAmount: number | null
}

/**
 * Returns the number and total amount of matching deals. Reads a bounded number of deals: candidates from an
 * index or, if no index serves the filter, the first deals of the list. The count of a whole list is stored.
 */
export const countDeals = (db: ReadDatabase, query: Query): Promise<DealCount> =>
  withoutScans(db, async (sql) => {
    const { tenant, filter, zone } = query
    const isAll = isEmptyBut(filter, '')
    const all = await readDealCount(sql, tenant)
    if (isAll && all > scanMax) return { count: all, isMore: false, amount: null, withoutAmount: null }
    const matches = conditionOf(sql, query)
    if (all <= scanMax) {
      const found = await countAmong(sql, firstDeals(sql, tenant, scanMax), matches)
      return found.length <= scanMax ? whole(found) : atLeast(found.count)
    }
    let most = 0
    if (filter.news !== undefined && Object.keys(filter.news).length === 1 && isEmptyBut(filter, 'news')) {
      most = await countManyNews(sql, eventsWithNews(sql, tenant, filter.news, zone))
      if (most >= manyMin) return atLeast(most)
    }
    for (const deals of await candidateQueries(sql, query)) {
      const found = await countAmong(sql, deals, matches)
      if (found.length <= narrowMax) return whole(found)
      most = Math.max(most, found.count)
      if (most >= manyMin) return atLeast(most)
    }
    // Stops as soon as there are too many deals to count.
    const [{ count }] = await sql<[{ count: number }]>`
      select count(*)::integer as count
      from (select from (${firstDeals(sql, tenant, countScanLimit)}) deals where ${matches} limit ${countedMax + 1}) matching`
    return atLeast(Math.max(most, count))
  })

const isEmptyBut = (filter: Query['filter'], name: string) =>
  Object.entries(filter).every(([key, value]) => key === name || isEmpty(value))

const atLeast = (count: number): DealCount => ({
  count: Math.min(countedMax, count),
  isMore: true,
  amount: null,
  withoutAmount: null,
})

/** Returns the stored number of all deals of the tenant. */
export async function readDealCount(sql: ISql, tenant: TenantScope): Promise<number> {
  const [list] = await sql<{ count: number }[]>`
    select deal_count::float8 as count from deal_lists where id = ${listIdOf(tenant)}`
  return list?.count ?? 0
}

/** Returns a query for the tenant's first `most` deals, plus one extra deal if there are more. */
export const firstDeals = (sql: ISql, tenant: TenantScope, most: number): Fragment =>
  sql`select * from deals where ${isWithin(sql, tenant)} order by id limit ${most + 1}`

/** Counts over a set of deals. */
export interface CountAmong {
  /** Number of deals read. */
  length: number
  count: number
  amount: number
  withoutAmount: number
}

const whole = ({ count, amount, withoutAmount }: CountAmong): DealCount => ({
  count,
  isMore: false,
  amount,
  withoutAmount,
})

/** Returns the SQL columns of `CountAmong`, computed from `withMatches`. */
export const countedBy = (sql: ISql): Fragment => sql`
  count(*)::integer as length, (count(*) filter (where matches))::integer as count,
  coalesce(sum(amount) filter (where matches), 0)::float8 as amount,
  (count(*) filter (where matches and amount is null))::integer as "withoutAmount"`

/** Returns a query for deals and whether they match, evaluating the condition once per deal. */
export const withMatches = (sql: ISql, deals: Fragment, matches: Fragment): Fragment => sql`
  select stage, county, amount, ${matches} as matches from (${deals}) deals offset 0`

/**
 * Counts the distinct deals of the events if there are too many events to look up. Returns 0 if there are few
 * events.
 */
async function countManyNews(sql: ISql, events: Fragment): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    with event as materialized (${events})
    select count(*)::integer as count from (select distinct partner_id, deal_id from event) event
    where (select count(*) from event) > ${narrowMax} and exists (
      select from deals where deals.partner_id = event.partner_id and deals.id = deal_id)`
  return count
}

async function countAmong(sql: ISql, query: Fragment, matches: Fragment): Promise<CountAmong> {
  const [row] = await sql<[CountAmong]>`
    select ${countedBy(sql)} from (${withMatches(sql, query, matches)}) deals`
  return row
}
