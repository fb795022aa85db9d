import { loadCounties } from '../../values/counties.ts'
import type { Query } from '../condition-store.ts'
import { type DealCount, countDeals } from '../count-store.ts'
import { type TotalsDeps, countingDb, readTotals } from '../totals/read-totals.ts'
import { countByCounty, mapTotals } from './map-store.ts'
import { countsOf, isInTotals, namedCounts, placedSum } from './map.ts'
import type { DealMap } from './wire.ts'

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
