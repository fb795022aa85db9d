import { beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from '#e2e/use-database.ts'
import { writeRecords } from '#e2e/write-records.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import type { DealRecord } from '../deals/deal.ts'
import { parseDeal } from '../deals/render.ts'
import { type Zone, dayOf, utc } from '../values/zone.ts'
import { findFirst } from './store.ts'
import type { DealFilter } from './wire.ts'

const [losAngeles, newYork, honolulu, tokyo] = [
  'America/Los_Angeles',
  'America/New_York',
  'Pacific/Honolulu',
  'Asia/Tokyo',
] as Zone[] as [Zone, Zone, Zone, Zone]
const zones = [utc, losAngeles, newYork, honolulu, tokyo]

// Times around midnight and around the switch from daylight saving time, and dates without a time.
const times = [
  ...['05', '06', '07', '08'].flatMap((day) =>
    [
      '00:00:00.000',
      '00:00:00.001',
      '00:53:00.000',
      '04:59:59.999',
      '05:00:00.000',
      '07:59:59.999',
      '08:00:00.000',
    ].map((time) => `2026-11-${day}T${time}Z`),
  ),
  ...['09:59:59.999', '10:00:00.000', '14:59:59.999', '15:00:00.000', '23:59:59.999'].map(
    (time) => `2026-11-06T${time}Z`,
  ),
  '2026-11-01T06:59:59.999Z',
  '2026-11-01T07:00:00.000Z',
  '2026-11-02T07:59:59.999Z',
  '2026-11-02T08:00:00.000Z',
]

const database = useDatabase()
let partnerId: PartnerId
beforeAll(async () => {
  const { db } = database
  partnerId = (await insertPartner(db, 'acme', 'Acme'))!.id
  const records = times.map((time, index): DealRecord => ({
    id: BigInt(index + 1),
    stage: 'Open',
    createDate: time,
    fundingSubmitted: time,
  }))
  await writeRecords(db, partnerId, records)
})

async function found(filter: DealFilter, zone: Zone, direction: 'asc' | 'desc' = 'asc'): Promise<string[]> {
  const deals = await findFirst(
    database.db,
    { tenant: partnerId, filter, zone },
    { field: 'fundingSubmitted', direction },
    100,
  )
  return deals.map(({ json }) => parseDeal(json).fundingSubmitted!)
}

const days = ['2026-11-01', '2026-11-02', '2026-11-05', '2026-11-06', '2026-11-07', '2026-11-08']

describe.each(zones)('in the time zone %s', (zone) => {
  test.each(['createDate', 'fundingSubmitted'] as const)('finds %s by its day', async (field) => {
    for (const day of days) {
      expect(await found({ dates: { [field]: { from: day, to: day } } }, zone)).toEqual(
        times.filter((time) => dayOf(time, zone) === day).toSorted(),
      )
      expect(await found({ dates: { [field]: { from: day } } }, zone)).toEqual(
        times.filter((time) => dayOf(time, zone) >= day).toSorted(),
      )
      expect(await found({ dates: { [field]: { to: day } } }, zone)).toEqual(
        times.filter((time) => dayOf(time, zone) <= day).toSorted(),
      )
    }
  })
})

test('filters work for the first and last year as well', async () => {
  for (const zone of zones) {
    expect(await found({ dates: { createDate: { from: '0001-01-01' } } }, zone)).toHaveLength(times.length)
    expect(await found({ dates: { createDate: { to: '9999-12-31' } } }, zone)).toHaveLength(times.length)
    expect(await found({ dates: { createDate: { to: '0001-01-01' } } }, zone)).toEqual([])
  }
})
