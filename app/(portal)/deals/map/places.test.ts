import { expect, test } from 'vitest'
import type { DealMap } from '#server/search/wire.ts'
import { levelOf, mapTotal, stateOfFilter, statesOf } from './places.ts'

const county = (id: string, place: string, state: string, count: number) => ({
  id,
  place,
  state,
  count,
  amount: count * 10,
})
const map: DealMap = {
  counties: [
    county('08031', 'Denver, CO', 'Colorado', 4),
    county('04013', 'Maricopa, AZ', 'Arizona', 3),
    county('04019', 'Pima, AZ', 'Arizona', 2),
  ],
  unplaced: { count: 1, amount: 5 },
  isMore: false,
  asOf: null,
}

test('the deals of a state are those of its counties, and states with the most deals come first', () => {
  expect(statesOf(map)).toEqual([
    { place: 'Arizona', count: 5, amount: 50 },
    { place: 'Colorado', count: 4, amount: 40 },
  ])
})

test('the map opens at the state if the filter or the deals have only one', () => {
  expect(stateOfFilter(map, ['AZ'])).toBe('Arizona')
  expect(stateOfFilter(map, ['UT'])).toBeNull()
  expect(stateOfFilter(map, [])).toBeNull()
  const ofArizona = { ...map, counties: map.counties.filter(({ state }) => state === 'Arizona') }
  expect(stateOfFilter(ofArizona, [])).toBe('Arizona')
  expect(stateOfFilter(ofArizona, ['AZ', 'CO'])).toBeNull()
})

test('the total includes deals without a location and shows no dollar amount if the count is incomplete', () => {
  expect(mapTotal(map)).toEqual({ count: 10, isMore: false, amount: 95 })
  expect(mapTotal({ ...map, isMore: true }).amount).toBeNull()
})

test('a location without deals falls back from county to state to country', () => {
  expect(levelOf(map, 'Pima, AZ')).toEqual({ kind: 'county', county: map.counties[2] })
  expect(levelOf(map, 'Arizona')).toEqual({ kind: 'state', state: 'Arizona' })
  expect(levelOf(map, 'Utah')).toEqual({ kind: 'country' })
  expect(levelOf(map, null)).toEqual({ kind: 'country' })
})
