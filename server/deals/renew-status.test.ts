import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { countDeals } from '../search/count-store.ts'
import type { DealFilter } from '../search/wire.ts'
import { saveStage } from '../stages/store.ts'
import { dayMs } from '../values/units.ts'
import { utc } from '../values/zone.ts'
import { writeDeals } from './deal-writer.ts'
import type { DealRecord } from './deal.ts'
import { renewStatuses } from './render-old-store.ts'
import { readKnownDeal, readRevision } from './store.ts'

let database: TestDatabase
let partnerId: PartnerId
let lastId = 0n

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  partnerId = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id as PartnerId
})

const write = (...records: Omit<DealRecord, 'id'>[]) =>
  writeDeals(
    database.db,
    records.map((record) => ({ record: { ...record, id: ++lastId }, partnerId })),
    { now: new Date(), events: true },
  )
const count = async (filter: DealFilter) =>
  (await countDeals(database.db, { tenant: partnerId, filter, zone: utc })).count
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString()

/** Moves dates that change the status into the past, as if time had passed since the deals were written. */
const passTime = async (field: string, days: number) => {
  await database.db.$client`
    update deals set json = replace(json, ${inDays(days).slice(0, 10)}, ${inDays(-1).slice(0, 10)}),
      status_changes_at = now() - interval '1 minute'
    where partner_id = ${partnerId} and status_changes_at is not null and json like ${`%${field}%`}`
}

describe('the status of a deal', () => {
  test('is updated once when a date passes, with a new list revision', async () => {
    await write({ stage: 'Site Survey', siteSurveyCompleted: inDays(9) }, { stage: 'Site Survey' })
    expect(await count({ holds: ['survey'] })).toBe(2)
    expect(await renewStatuses(database.db)).toBe(0)
    await passTime('siteSurveyCompleted', 9)
    const before = await readRevision(database.db, partnerId)
    expect(await renewStatuses(database.db)).toBe(1)
    expect(await count({ holds: ['cad'] })).toBe(1)
    expect(await count({ holds: ['survey'] })).toBe(1)
    expect(await readRevision(database.db, partnerId)).toBeGreaterThan(before)
    expect(await renewStatuses(database.db)).toBe(0)
  })

  test('is updated without an event when the kind of its stage changes', async () => {
    await write({ stage: 'Waiting on Bob' }, { stage: 'Waiting on Bob' }, { stage: 'Engineering' })
    expect(await count({ holds: ['unknown'] })).toBe(2)
    const set = (change: Omit<Parameters<typeof saveStage>[1], 'name'>) =>
      database.db.transaction((tx) => saveStage(tx, { name: 'Waiting on Bob', ...change }))
    expect(await set({ place: 'permit' })).toMatchObject({ place: 'permit' })
    expect(await renewStatuses(database.db)).toBe(2)
    expect(await count({ holds: ['permit'], gates: ['install'] })).toBe(2)
    expect(await renewStatuses(database.db)).toBe(0)
    await set({ kind: 'won' })
    await renewStatuses(database.db)
    expect(await count({ done: ['install'] })).toBe(2)
    const events = await database.db
      .$client`select type from events where partner_id = ${partnerId} and type <> 'deal.created'`
    expect(events).toHaveLength(0)
  })
})

test('a flag missing from all sources is null in the portal, and false for partners', async () => {
  const id = lastId + 1n
  await write({ stage: 'Permit', hasHoa: false, hasBattery: true })
  const known = JSON.parse((await readKnownDeal(database.db, partnerId, id))!)
  expect(known).toMatchObject({ hasHoa: false, hasBattery: true, permitRequired: null })
  const [stored] = await database.db.$client`select json from deals where id = ${String(id)}`
  expect(JSON.parse(stored!['json'])).toMatchObject({ permitRequired: false })
})

describe('the record of known flags', () => {
  const update = (id: bigint, record: Omit<DealRecord, 'id'>, keepsEmpty = false) =>
    writeDeals(database.db, [{ record: { ...record, id }, partnerId, keepsEmpty }], {
      now: new Date(),
      events: true,
    })
  const flagsOf = async (id: bigint) => {
    const { hasHoa, permitRequired } = JSON.parse((await readKnownDeal(database.db, partnerId, id))!)
    return { hasHoa, permitRequired }
  }

  test('survives updates that omit a flag, and changes without an event if the flag becomes false', async () => {
    await write({ stage: 'Permit', hasHoa: false })
    const id = lastId
    expect(await update(id, { stage: 'Permit' })).toEqual(['unchanged'])
    expect(await flagsOf(id)).toEqual({ hasHoa: false, permitRequired: null })
    expect(await update(id, { permitRequired: false })).toEqual(['unchanged'])
    expect(await flagsOf(id)).toEqual({ hasHoa: false, permitRequired: false })
    expect(await update(id, { hasHoa: null })).toEqual(['unchanged'])
    expect(await flagsOf(id)).toEqual({ hasHoa: null, permitRequired: false })
    expect(await update(id, { permitRequired: null }, true)).toEqual(['unchanged'])
    expect(await flagsOf(id)).toEqual({ hasHoa: null, permitRequired: false })
  })
})
