import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '#db/test-database.ts'
import { findPartner, insertPartner, zoneOfPartner } from '../accounts/store.ts'
import { writeDeals } from './deal-writer.ts'
import { updateUsualZones } from './usual-zone-store.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => void (database = await createTestDatabase()))
afterAll(() => database.drop())

let last = 0n

test("a partner's time zone is the most common one of its deals, updated when their number has doubled", async () => {
  const { db } = database
  const { id } = (await insertPartner(db, 'acme', 'Acme'))!
  const add = async (state: string | null, count: number) => {
    const writes = Array.from({ length: count }, () => ({ record: { id: ++last, state }, partnerId: id }))
    await writeDeals(db, writes, { now: new Date(), events: false })
    await updateUsualZones(db)
    return zoneOfPartner((await findPartner(db, 'acme'))!)
  }
  await updateUsualZones(db)
  expect(zoneOfPartner((await findPartner(db, 'acme'))!)).toBe('UTC')
  expect(await add('NV', 2)).toBe('America/Los_Angeles')
  // Three deals are not yet twice as many as the two deals of the last update.
  expect(await add('UT', 1)).toBe('America/Los_Angeles')
  expect(await add('UT', 2)).toBe('America/Denver')
  expect(await add('NV', 4)).toBe('America/Denver')
  expect(await add(null, 9)).toBe('America/Los_Angeles')
  expect(
    await db.$client`select usual_zone_deals::integer as deals from partners where slug = 'acme'`,
  ).toEqual([{ deals: 18 }])
})
