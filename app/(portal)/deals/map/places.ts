import type { CountyFigure, DealMap, DealPoint, DealFilter } from '#server/search/wire.ts'
import { stateCodeOf } from '#server/values/states.ts'
import { type Tally, tallyOf } from '#server/values/units.ts'

/** A county or state with its deals. */
export interface PlaceFigure extends Tally {
  place: string
}

/** The visible area of a zoomed-in map. */
export interface NearView {
  /** Bounding box, which may exceed the visible area because meridians converge on the map. */
  area: NonNullable<DealFilter['area']>
  shows: (deal: DealPoint) => boolean
}

/** The part of the map in focus: the country, a state or a county. */
export type Level =
  | { kind: 'country' }
  | { kind: 'state'; state: string }
  | { kind: 'county'; county: CountyFigure }

/** Parses the place in the query string. Without deals there, returns the whole country. */
export function levelOf({ counties }: DealMap, place: string | null): Level {
  const county = counties.find((each) => each.place === place)
  if (county !== undefined) return { kind: 'county', county }
  const inState = counties.find(({ state }) => state === place)
  return inState === undefined ? { kind: 'country' } : { kind: 'state', state: inState.state }
}

/** Returns the only state in the filter or, without one, the only state with deals; otherwise null. */
export function stateOfFilter(map: DealMap, codes: readonly string[]): string | null {
  const states = statesOf(map).map(({ place }) => place)
  if (codes.length === 1) return states.find((state) => stateCodeOf(state) === codes[0]) ?? null
  return codes.length === 0 && states.length === 1 ? states[0]! : null
}

/** Returns the name of the state or county in focus, or null for the country. */
export function nameOfLevel(level: Level): string | null {
  if (level.kind === 'county') return level.county.place
  return level.kind === 'state' ? level.state : null
}

/** Returns the places to list: all states, the counties of a state, or one county. */
export function listedPlaces(map: DealMap, level: Level): PlaceFigure[] {
  if (level.kind === 'country') return statesOf(map)
  return level.kind === 'county' ? [level.county] : map.counties.filter(({ state }) => state === level.state)
}

/** Returns the states with their deals, most deals first. */
export const statesOf = ({ counties }: DealMap): PlaceFigure[] =>
  [...Map.groupBy(counties, ({ state }) => state)]
    .map(([place, all]) => ({ place, ...tallyOf(all) }))
    .toSorted((a, b) => b.count - a.count)

/** Returns the total of all deals, including those without a place on the map. */
export function mapTotal({ counties, unplaced, isMore }: DealMap) {
  const { count, amount } = tallyOf([...counties, unplaced])
  return { count, isMore, amount: isMore ? null : amount }
}

const notDrawn = new Set([
  'American Samoa',
  'Commonwealth of the Northern Mariana Islands',
  'Guam',
  'Puerto Rico',
  'United States Virgin Islands',
])

/** Returns true if the map shows the state. The map shows the fifty states and the District of Columbia. */
export const isDrawn = (state: string) => !notDrawn.has(state)
