import { expect, test } from 'vitest'
import { regionList } from './filter-sections.tsx'
import { type FilterState, readDealsQuery } from './query.ts'

const stateOf = (query: string) => readDealsQuery(new URLSearchParams(query)) as FilterState

test.each([
  ['', ['AZ'], { state: ['AZ'], place: null }],
  ['state=AZ', ['AZ', 'NM'], { state: ['AZ', 'NM'], place: null }],
  ['state=AZ', ['AZ', 'Clark, NV'], { state: null, place: ['Clark, NV'] }],
  ['place=Clark%2C+NV', ['Clark, NV', 'AZ'], { state: ['AZ'], place: null }],
  ['place=Arizona&state=AZ', ['AZ'], { state: ['AZ'], place: [] }],
])('with the query %s, choosing %j filters either by state or by county', (query, values, patch) => {
  expect(regionList.patch(values, stateOf(query))).toEqual(patch)
})
