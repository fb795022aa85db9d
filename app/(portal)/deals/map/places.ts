import type { CountyFigure, DealMap, DealPoint, Placed } from '#server/search/map/wire.ts'
import type { DealFilter } from '#server/search/wire.ts'
import { stateCodeOf } from '#server/values/states.ts'

/** A county or a state with its deals. */
export interface PlaceFigure extends Placed {
  place: string
}

/** The visible area of a zoomed-in map. */
export interface NearView {
  /** A bounding box in coordinates: the map itself is not one, because its meridians converge. */
  area: NonNullable<DealFilter['area']>
  /** Returns whether a deal is in it. */
  shows: (deal: DealPoint) => boolean
}

/** The focus of the map: the country, a state or a county. */
export type Level =
  | { kind: 'country' }
  | { kind: 'state'; state: string }
  | { kind: 'county'; county: CountyFigure }

/** Parses a place in the query string; the whole country if it has no deals. */
export function levelOf({ counties }: DealMap, place: string | null): Level {
  const county = counties.find((each) => each.place === place)
  if (county !== undefined) return { kind: 'county', county }
  const inState = counties.find(({ state }) => state === place)
  return inState === undefined ? { kind: 'country' } : { kind: 'state', state: inState.state }
}

/** Returns the only state of the filter, or of all deals on the map, to begin with; null without one. */
export function stateOfFilter(map: DealMap, codes: readonly string[]): string | null {
  const states = statesOf(map).map(({ place }) => place)
  if (codes.length === 1) return states.find((state) => stateCodeOf(state) === codes[0]) ?? null
  return codes.length === 0 && states.length === 1 ? states[0]! : null
}

/** Returns the name of the map's place; null for the country. */
export function nameOfLevel(level: Level): string | null {
  if (level.kind === 'county') return level.county.place
  return level.kind === 'state' ? level.state : null
}

/** Returns the places to list: the states, the counties of a state, or one county. */
export function listedPlaces(map: DealMap, level: Level): PlaceFigure[] {
  if (level.kind === 'country') return statesOf(map)
  return level.kind === 'county' ? [level.county] : map.counties.filter(({ state }) => state === level.state)
}

/** Returns the states with their deals, most deals first. */
export const statesOf = ({ counties }: DealMap): PlaceFigure[] =>
  [...Map.groupBy(counties, ({ state }) => state)]
    .map(([place, all]) => ({
      place,
      count: all.reduce((sum, { count }) => sum + count, 0),
      amount: all.reduce((sum, { amount }) => sum + amount, 0),
    }))
    .toSorted((a, b) => b.count - a.count)

/** Returns the total of all deals, wherever they are. */
export function mapTotal({ counties, unplaced, isMore }: DealMap) {
  const all = [...counties, unplaced]
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    isMore,
    amount: isMore ? null : all.reduce((sum, { amount }) => sum + amount, 0),
  }
}

const notDrawn = new Set([
  'American Samoa',
  'Commonwealth of the Northern Mariana Islands',
  'Guam',
  'Puerto Rico',
  'United States Virgin Islands',
])

/** Returns whether a state is on the map, which shows the fifty and the District of Columbia. */
export const isDrawn = (state: string) => !notDrawn.has(state)
