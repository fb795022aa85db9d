import { loadCounties, type Counties, type ResolvedPlaces, stateOfCounty } from '../values/counties.ts'
import { toCents } from '../values/units.ts'
import type { Query } from './condition-store.ts'
import { type DealCount, countDeals } from './count-store.ts'
import { countByCounty, mapTotals, type CountyCount, type StageCountyCount } from './map-store.ts'
import { type TotalsDeps, countingDb, readTotals } from './read-totals.ts'
import type { DealMap, DealFilter, Placed } from './wire.ts'

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
    ...placedSum(all),
  }))
}

const isIn = (county: number | null, { counties, states, isUnplaced }: ResolvedPlaces) =>
  county === null ? isUnplaced : counties.includes(county) || states.includes(stateOfCounty(county))

const placedSum = (all: Placed[]): Placed => ({
  count: all.reduce((sum, { count }) => sum + count, 0),
  amount: toCents(all.reduce((sum, { amount }) => sum + amount, 0)),
})

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
    unplaced: placedSum(counts.filter(({ county }) => county === null)),
  }
}

/** Returns matching deals per county, using stored totals if they suffice. */
export async function readMap(deps: TotalsDeps, query: Query): Promise<DealMap> {
  const { tenant, filter, zone } = query
  const [stored, counties] = await Promise.all([
    isInTotals(filter) ? readTotals(deps, tenant, mapTotals, zone, new Date()) : null,
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
  const { tenant, filter, zone } = query
  const counted = await countDeals(countingDb(deps, tenant), query)
  if (!counted.isMore || filter.places === undefined || !isInTotals(filter)) return counted
  const stored = await readTotals(deps, tenant, mapTotals, zone, new Date())
  return stored === null
    ? counted
    : { ...placedSum(countsOf(stored.totals, filter)), isMore: false, withoutAmount: null }
}
