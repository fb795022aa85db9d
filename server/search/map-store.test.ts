import { beforeEach, describe, expect, test } from 'vitest'
import { useDatabase } from '#e2e/use-database.ts'
import { writeRecords } from '#e2e/write-records.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { DealRecord } from '../deals/deal.ts'
import { utc } from '../values/zone.ts'
import { findPoints, pointsMax, countPlaced, readMap } from './map-store.ts'
import { resolveQuery } from './resolve-query.ts'
import { findDeals } from './store.ts'
import { type DealFilter, initialSort } from './wire.ts'

const phoenix = '33.4484,-112.0740'
const tucson = '32.2226,-110.9747'
const denver = '39.7392,-104.9903'
const everywhere = { west: -180, south: -90, east: 180, north: 90 }

const database = useDatabase()
let partnerId: PartnerId
let otherId: PartnerId
let lastId = 0n
beforeEach(async () => {
  const make = async () => (await insertPartner(database.db, crypto.randomUUID(), 'A'))!.id as PartnerId
  partnerId = await make()
  otherId = await make()
})

async function write(records: Omit<DealRecord, 'id'>[], partner = partnerId): Promise<void> {
  const writes = records.map((record) => ({ record: { ...record, id: ++lastId }, partnerId: partner }))
  await writeDeals(database.db, writes, { now: new Date(), events: false })
}

const at = (...coordinates: (string | null)[]) =>
  coordinates.map((each) => ({ coordinates: each, amount: 10 }))

const query = <Filter extends DealFilter>(filter: Filter, tenant: TenantScope = partnerId) =>
  resolveQuery({ tenant, zone: utc, user: null }, filter)
const means = () => ({ db: database.db })
const mapOf = async (filter: DealFilter = {}, tenant: TenantScope = partnerId) =>
  readMap(means(), await query(filter, tenant))
const placesOf = async (...given: Parameters<typeof mapOf>) =>
  (await mapOf(...given)).counties.map(({ place, count }) => [place, count])
const listed = async (filter: DealFilter) =>
  (await findDeals(database.db, await query(filter), initialSort, null, 100)).deals.length
const counted = async (filter: DealFilter) => countPlaced(means(), await query(filter))
const pointsOf = async (area = everywhere, filter: DealFilter = {}, tenant: TenantScope = partnerId) =>
  findPoints(database.db, await query({ ...filter, area }, tenant))

/** Marks the partner's list as long, so only its indexes are used to read it. */
const makeLong = () =>
  database.db.$client`update deal_lists set deal_count = deal_count + 60000 where id = ${partnerId}`

describe('the map', () => {
  test('counts deals and dollars by county, and the deals without a county', async () => {
    await write([
      ...at(phoenix, phoenix, denver, tucson, phoenix),
      ...at(null, '0,0', '-112.07,33.44', '48.85,2.35'),
    ])
    await write([{ coordinates: denver }])
    await write(at(phoenix, denver), otherId)
    expect(await mapOf()).toEqual({
      counties: [
        { id: '04013', place: 'Maricopa, AZ', state: 'Arizona', count: 3, amount: 30 },
        { id: '08031', place: 'Denver, CO', state: 'Colorado', count: 2, amount: 10 },
        { id: '04019', place: 'Pima, AZ', state: 'Arizona', count: 1, amount: 10 },
      ],
      unplaced: { count: 4, amount: 40 },
      isMore: false,
      asOf: null,
    })
    const all = await mapOf({}, everyone)
    expect(all.counties.find(({ id }) => id === '08031')!.count).toBeGreaterThanOrEqual(3)
  })

  test('reflects a deal that moves', async () => {
    await write(at(phoenix))
    const move = (coordinates: string | null) =>
      writeRecords(database.db, partnerId, [{ id: lastId, coordinates }])
    await move(denver)
    expect(await placesOf()).toEqual([['Denver, CO', 1]])
    await move(null)
    expect(await mapOf()).toMatchObject({ counties: [], unplaced: { count: 1 } })
  })

  test('is the same for a long list from stored totals and by index', async () => {
    await write(
      at(phoenix, phoenix, denver, null).map((deal, index) => ({ ...deal, stage: `S${index % 2}` })),
    )
    const filters: DealFilter[] = [
      {},
      { stages: ['S0'] },
      { places: ['Arizona'] },
      { places: [''] },
      { places: ['Colorado', ''], stages: ['S1'] },
      { amount: { min: 5 }, places: ['Maricopa, AZ'] },
      { area: { west: -113, south: 33, east: -111, north: 34 } },
    ]
    const short = await Promise.all(filters.map((filter) => mapOf(filter)))
    await makeLong()
    expect(await Promise.all(filters.map((filter) => mapOf(filter)))).toEqual(short)
    expect(
      short.map(({ counties, unplaced }) => [...counties.map(({ count }) => count), unplaced.count]),
    ).toEqual([[2, 1, 1], [1, 1, 0], [2, 0], [1], [1], [2, 0], [2, 0]])
  })

  test('reports that the count is incomplete if no index narrows a long list', async () => {
    await write(at(phoenix))
    await makeLong()
    expect(await mapOf({ present: ['permitReceived'] })).toMatchObject({ counties: [], isMore: false })
    await database.db.$client`
      insert into deals (id, partner_id, json, county)
      select 1000000 + n, ${partnerId}, '{}', 4013 from generate_series(1, 30001) n`
    expect(await mapOf({ missing: ['permitReceived'] })).toMatchObject({ isMore: true })
  })
})

describe('a filter by region', () => {
  beforeEach(() => write(at(phoenix, tucson, denver, null, phoenix)))

  test.each<[string, DealFilter, number]>([
    ['a county', { places: ['Maricopa, AZ'] }, 2],
    ['a state', { places: ['Arizona'] }, 3],
    ['places', { places: ['Pima, AZ', 'Colorado'] }, 2],
    ['no place', { places: [''] }, 1],
    ['an unknown place', { places: ['Atlantis'] }, 0],
    ['an area', { area: { west: -112.1, south: 33.4, east: -112, north: 33.5 } }, 2],
    ['an area in a place', { area: everywhere, places: ['Arizona'] }, 3],
    ['an area without the place', { area: everywhere, places: [''] }, 0],
    ['the sea', { area: { west: -71, south: 29, east: -70, north: 30 } }, 0],
  ])('finds the same deals in the list, its count and the map by %s', async (_, filter, count) => {
    for (const lengthen of [() => {}, makeLong]) {
      await lengthen()
      const { counties, unplaced } = await mapOf(filter)
      expect(counties.reduce((sum, each) => sum + each.count, unplaced.count)).toBe(count)
      expect(await listed(filter)).toBe(count)
      expect(await counted(filter)).toMatchObject({ count, isMore: false, amount: 10 * count })
    }
  })

  test('uses the totals of the map if it matches too many deals for an index', async () => {
    await database.db.$client`
      insert into deals (id, partner_id, json, county, amount)
      select 2000000 + n, ${partnerId}, '{}', 8031, 1 from generate_series(1, 20001) n`
    await makeLong()
    expect(await counted({ places: ['Colorado'] })).toMatchObject({
      count: 20_002,
      isMore: false,
      amount: 20_011,
    })
    expect((await counted({ places: ['Colorado'], amount: { min: 0 } })).isMore).toBe(true)
  })
})

describe('map points', () => {
  test('are the matching deals in an area, with names and coordinates', async () => {
    await write([
      { coordinates: phoenix, dealname: 'A', stage: 'NTP', amount: 5 },
      { coordinates: phoenix, dealname: 'B', stage: 'CAD' },
      { coordinates: tucson, dealname: 'C', stage: 'NTP' },
      { coordinates: null, dealname: 'D', stage: 'NTP' },
    ])
    await write([{ coordinates: phoenix, dealname: 'not ours', stage: 'NTP' }], otherId)
    const area = { west: -113, south: 33, east: -111, north: 34 }
    for (const lengthen of [() => {}, makeLong]) {
      await lengthen()
      expect(await pointsOf(area, { stages: ['NTP'] })).toEqual({
        deals: [
          {
            id: expect.any(String) as string,
            dealname: 'A',
            firstName: null,
            lastName: null,
            latitude: expect.closeTo(33.4484, 4) as number,
            longitude: expect.closeTo(-112.074, 4) as number,
            stage: 'NTP',
            amount: 5,
          },
        ],
        isMore: false,
      })
      expect((await pointsOf()).deals.map(({ dealname }) => dealname)).toEqual(['A', 'B', 'C'])
    }
    const all = await pointsOf(area, { stages: ['NTP'] }, everyone)
    expect(all.deals.map(({ dealname }) => dealname)).toEqual(expect.arrayContaining(['A', 'not ours']))
  })

  test('are a sample from each county if there are too many', async () => {
    await write(at(phoenix, denver))
    await database.db.$client`
      insert into deals (id, partner_id, json, county, latitude, longitude)
      select 3000000 + n, ${partnerId}, '{}', 8031, 39.7, -104.9 from generate_series(1, 10001) n`
    const { deals, isMore } = await pointsOf()
    expect(isMore).toBe(true)
    expect(deals).toHaveLength(101)
    expect(deals.some(({ longitude }) => longitude < -112)).toBe(true)
    const near = await pointsOf({ west: -105, south: 39.6, east: -104.8, north: 39.8 })
    expect([near.deals.length, near.isMore]).toEqual([pointsMax, true])
  })
})
