import { type ReadDatabase, withoutScans } from '#db/client.ts'
import { isWithin } from '../accounts/store.ts'
import { countScanLimit } from '../deals/policy.ts'
import { loadCounties, type Counties, type ResolvedPlaces, stateOfCounty } from '../values/counties.ts'
import type { Area } from '../values/point.ts'
import { type Tally, tallyOf } from '../values/units.ts'
import { firstOfFew, candidateQueries } from './candidate-store.ts'
import { type Query, conditionOf, someOfEachCounty } from './condition-store.ts'
import {
  type DealCount,
  countDeals,
  type CountAmong,
  countedBy,
  firstDeals,
  withMatches,
  readDealCount,
  scanMax,
} from './count-store.ts'
import { type TotalsDeps, countingDb, readTotals, type TotalsKind } from './read-totals.ts'
import type { DealSnapshot } from './totals-store.ts'
import type { DealMap, DealFilter, DealPoint, DealPoints } from './wire.ts'

/** Deals in a county. The county is null for deals outside all counties. */
interface CountyCount extends Tally {
  county: number | null
}

/** Deals in a county and stage. The stage is empty for deals without one. */
export interface StageCountyCount extends CountyCount {
  stage: string
}

/** Totals of the map, from which totals for any set of stages and regions can be derived. */
export const mapTotals: TotalsKind<StageCountyCount[]> = {
  name: 'map-1',
  isByZone: false,
  compute: countByStageAndCounty,
}

async function countByStageAndCounty({ sql, tenant }: DealSnapshot): Promise<StageCountyCount[]> {
  const rows = await sql<StageCountyCount[]>`
    select coalesce(stage, '') as stage, county, count(*)::float8 as count,
      coalesce(sum(amount), 0)::float8 as amount
    from deals where ${isWithin(sql, tenant)} group by 1, 2`
  return [...rows]
}

/**
 * Returns matching deals per county. Reads a bounded number of deals: candidates from an index, or the first
 * deals. `isMore` is set if the limit was reached.
 */
const countByCounty = (db: ReadDatabase, query: Query): Promise<{ counts: CountyCount[]; isMore: boolean }> =>
  withoutScans(db, async (sql) => {
    const matches = conditionOf(sql, query)
    const isShort = (await readDealCount(sql, query.tenant)) <= scanMax
    const most = isShort ? scanMax : countScanLimit
    const few = isShort ? null : await firstOfFew(sql, await candidateQueries(sql, query))
    const rows = await sql<(CountAmong & { county: number | null })[]>`
      select county, ${countedBy(sql)}
      from (${withMatches(sql, few?.query ?? firstDeals(sql, query.tenant, most), matches)}) deals group by 1`
    const lookedAt = rows.reduce((sum, { length }) => sum + length, 0)
    return {
      counts: rows
        .filter(({ count }) => count > 0)
        .map(({ county, count, amount }) => ({ county, count, amount })),
      isMore: few === null && lookedAt > most,
    }
  })

export const pointsMax = 500

/** Maximum number of deals scanned if no index narrows the candidates. */
const lookedAtMax = 10_000

/**
 * Returns the matching deals in the filter's area, at most `pointsMax`. If there are more, includes some of
 * each county.
 */
export const findPoints = (
  db: ReadDatabase,
  query: Query & { filter: { area: Area } },
): Promise<DealPoints> =>
  withoutScans(db, async (sql) => {
    const few = await firstOfFew(sql, await candidateQueries(sql, query))
    const lookedAt = few?.query ?? someOfEachCounty(sql, query.tenant, query.filter, lookedAtMax)
    const rows = await sql<DealPoint[]>`
      select id::text as id, json::json ->> 'dealname' as dealname, json::json ->> 'firstName' as "firstName",
        json::json ->> 'lastName' as "lastName", latitude::float8 as latitude, longitude::float8 as longitude,
        stage, amount
      from (
        select * from (${lookedAt}) deals where ${conditionOf(sql, query)}
        order by id limit ${pointsMax + 1}
      ) deals`
    return { deals: rows.slice(0, pointsMax), isMore: few === null || rows.length > pointsMax }
  })

/** Returns true if stored totals suffice because the filter uses only stages and counties. */
const isInTotals = (filter: DealFilter) =>
  Object.keys(filter).every((name) => ['stages', 'places', 'resolvedPlaces'].includes(name))

/**
 * Returns the totals by county for these stages and regions, or for all if no stages and regions are given.
 */
function countsOf(totals: StageCountyCount[], { stages = [], resolvedPlaces }: DealFilter): CountyCount[] {
  const found = totals.filter(
    ({ stage, county }) =>
      (stages.length === 0 || stages.includes(stage)) &&
      (resolvedPlaces === undefined || isIn(county, resolvedPlaces)),
  )
  return [...Map.groupBy(found, ({ county }) => county)].map(([county, all]) => ({
    county,
    ...tallyOf(all),
  }))
}

const isIn = (county: number | null, { counties, states, isUnplaced }: ResolvedPlaces) =>
  county === null ? isUnplaced : counties.includes(county) || states.includes(stateOfCounty(county))

/** Returns county counts with county names, most deals first, and the count of deals outside all counties. */
function namedCounts(
  counts: CountyCount[],
  counties: Pick<Counties, 'get'>,
): Pick<DealMap, 'counties' | 'unplaced'> {
  return {
    counties: counts
      .flatMap(({ county, count, amount }) => {
        if (county === null) return []
        const { name: place, state } = counties.get(county)
        return [{ id: String(county).padStart(5, '0'), place, state, count, amount }]
      })
      .toSorted((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1)),
    unplaced: tallyOf(counts.filter(({ county }) => county === null)),
  }
}

/** Returns matching deals per county, using stored totals if they suffice. */
export async function readMap(deps: TotalsDeps, query: Query): Promise<DealMap> {
  const { tenant, filter } = query
  const [stored, counties] = await Promise.all([
    isInTotals(filter) ? readTotals(deps, mapTotals, query) : null,
    loadCounties(),
  ])
  const { counts, isMore } =
    stored === null
      ? await countByCounty(countingDb(deps, tenant), query)
      : { counts: countsOf(stored.totals, filter), isMore: false }
  return { ...namedCounts(counts, counties), isMore, asOf: stored?.asOf ?? null }
}

/**
 * Returns the number and total amount of matching deals. Uses stored totals if there are too many deals to
 * count.
 */
export async function countPlaced(deps: TotalsDeps, query: Query): Promise<DealCount> {
  const { tenant, filter } = query
  const counted = await countDeals(countingDb(deps, tenant), query)
  if (!counted.isMore || filter.places === undefined || !isInTotals(filter)) return counted
  const stored = await readTotals(deps, mapTotals, query)
  return stored === null
    ? counted
    : { ...tallyOf(countsOf(stored.totals, filter)), isMore: false, withoutAmount: null }
}
