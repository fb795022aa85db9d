import { beforeAll, expect, test } from 'vitest'
import { type Counties, loadCounties } from './counties.ts'

let counties: Counties
beforeAll(async () => {
  counties = await loadCounties()
})

test.each([
  ['Phoenix', 33.4484, -112.074, 'Maricopa, AZ'],
  ['an island', 24.5551, -81.78, 'Monroe, FL'],
  ['a home on the shore', 25.7907, -80.1295, 'Miami-Dade, FL'],
  ['a pier that simplified shorelines leave in the sea', 39.355, -74.42, 'Atlantic, NJ'],
  ['an independent city', 39.2904, -76.6122, 'Baltimore city, MD'],
  ['the county around a city', 39.4, -76.6, 'Baltimore, MD'],
  ['Alaska', 61.2176, -149.8997, 'Anchorage, AK'],
  ['Puerto Rico', 18.4655, -66.1057, 'San Juan, PR'],
  ['Guam', 13.44, 144.79, 'Guam, GU'],
  ['the ocean', 30, -70, null],
  ['Paris', 48.8566, 2.3522, null],
  ['Toronto', 43.6532, -79.3832, null],
])('%s is in the right county', (_, latitude, longitude, name) => {
  const code = counties.at({ latitude, longitude })
  expect(code && counties.get(code).name).toBe(name)
})

test('an area intersects the counties that it covers or cuts', () => {
  const names = counties
    .meeting({ west: -112.1, south: 33.1, east: -111.4, north: 33.3 })
    .map((code) => counties.get(code).name)
  expect(names.toSorted()).toEqual(['Maricopa, AZ', 'Pinal, AZ'])
})

test('names resolve to counties, states or no region; unknown names are skipped', () => {
  expect(counties.named(['Maricopa, AZ', 'Utah', '', 'Atlantis'])).toEqual({
    counties: [4013],
    states: [49],
    isUnplaced: true,
  })
})

test('all counties and states have distinct names', () => {
  const all = counties
    .meeting({ west: -180, south: -90, east: 180, north: 90 })
    .map((code) => counties.get(code))
  expect(all.length).toBeGreaterThan(3200)
  const names = all.flatMap(({ name }) => name)
  expect(new Set(names).size).toBe(all.length)
  expect(names.filter((name) => !/^\S.*, [A-Z]{2}$/.test(name))).toEqual([])
  expect(new Set(all.map(({ state }) => state)).size).toBe(56)
})
