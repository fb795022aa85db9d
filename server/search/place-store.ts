import type { Fragment, ISql } from 'postgres'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { stateOfCounty } from '../values/counties.ts'
import type { Area } from '../values/point.ts'
import type { DealFilter } from './wire.ts'

/** Returns the counties of a filter, as resolved by `resolveQuery`. */
function resolvedPlacesOf({ resolvedPlaces }: DealFilter): NonNullable<DealFilter['resolvedPlaces']> {
  if (resolvedPlaces === undefined) throw new Error('the places of a filter are not resolved')
  return resolvedPlaces
}

/** Returns the condition that a deal is in one of the filter's regions. */
export function isInPlace(sql: ISql, filter: DealFilter): Fragment {
  const { counties, states, isUnplaced } = resolvedPlacesOf(filter)
  return sql`(county = any(${counties}::integer[]) or county / 1000 = any(${states}::integer[])
    or ${isUnplaced ? sql`county is null` : sql`false`})`
}

/** Returns the condition that a deal is in an area. */
export const isInArea = (sql: ISql, { west, south, east, north }: Area): Fragment =>
  sql`(county is not null and latitude between ${south}::float8 and ${north}::float8
    and longitude between ${west}::float8 and ${east}::float8)`

/** A range of counties in an index on deals. */
interface CountyRange {
  condition: Fragment
  given?: Fragment
}

/**
 * Returns ranges of counties that contain all deals matching the filter, or undefined if the filter does not
 * select by region.
 */
export function countyRanges(sql: ISql, filter: DealFilter): CountyRange[] | undefined {
  if (filter.area !== undefined) {
    const codes = countiesOfArea(filter)
    const given = sql`unnest(${codes}::integer[]) as given (code)`
    const condition = sql`county between given.code and given.code and ${isInArea(sql, filter.area)}`
    return [{ condition, given }]
  }
  if (filter.places === undefined || filter.places.length === 0) return undefined
  const { counties, states, isUnplaced } = resolvedPlacesOf(filter)
  const lows = [...counties, ...states.map((code) => code * 1000)]
  const highs = [...counties, ...states.map((code) => code * 1000 + 999)]
  return [
    {
      condition: sql`county between given.low and given.high`,
      given: sql`unnest(${lows}::integer[], ${highs}::integer[]) as given (low, high)`,
    },
    ...(isUnplaced ? [{ condition: sql`county is null` }] : []),
  ]
}

/**
 * Returns the counties that the filter's area intersects. If the filter also has regions, returns only
 * counties in these regions.
 */
function countiesOfArea(filter: DealFilter): number[] {
  const { meeting, counties, states } = resolvedPlacesOf(filter)
  if (filter.places === undefined || filter.places.length === 0) return meeting!
  return meeting!.filter((code) => counties.includes(code) || states.includes(stateOfCounty(code)))
}

/** Minimum number of deals read per county. Most counties of an area have no deals. */
const eachMin = 100

/**
 * Returns a query for about `most` deals in total, with some from each county that the filter's area
 * intersects.
 */
export function someOfEachCounty(sql: ISql, tenant: TenantScope, filter: DealFilter, most: number): Fragment {
  const codes = countiesOfArea(filter)
  const limit = sql`limit ${Math.max(eachMin, Math.ceil(most / Math.max(1, codes.length)))}`
  const counties = sql`unnest(${codes}::integer[]) as given (code)`
  const [partners, owned] = isEveryone(tenant)
    ? [sql`cross join partners`, sql`partner_id = partners.id`]
    : [sql``, sql`partner_id = ${tenant}`]
  return sql`
    select each.* from ${counties} ${partners} cross join lateral (
      select * from deals where ${owned} and county between given.code and given.code
      order by partner_id, county, id ${limit}) each`
}
