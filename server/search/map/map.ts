import { type Counties, type ResolvedPlaces, stateOfCounty } from '../../values/counties.ts'
import { toCents } from '../../values/units.ts'
import type { DealFilter } from '../wire.ts'
import type { CountyCount, StageCountyCount } from './map-store.ts'
import type { DealMap, Placed } from './wire.ts'

/** Returns true if stored totals suffice because the filter uses only stages and counties. */
export const isInTotals = (filter: DealFilter) =>
  Object.keys(filter).every((name) => ['stages', 'places', 'resolvedPlaces'].includes(name))

/**
 * Returns the totals by county for these stages and regions, or for all if no stages and regions are given.
 */
export function countsOf(
  totals: StageCountyCount[],
  { stages = [], resolvedPlaces }: DealFilter,
): CountyCount[] {
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

/** Sums counts and amounts. */
export const placedSum = (all: Placed[]): Placed => ({
  count: all.reduce((sum, { count }) => sum + count, 0),
  amount: toCents(all.reduce((sum, { amount }) => sum + amount, 0)),
})

/** Returns county counts with county names, most deals first, and the count of deals outside all counties. */
export function namedCounts(
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
