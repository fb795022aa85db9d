import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from '#e2e/use-database.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { int64Max } from '../values/int64.ts'
import { writeDeals } from './deal-writer.ts'
import type { DealRecord } from './deal.ts'
import { readHistory, readObserved } from './event-store.ts'
import { notObserved, withObserved, renderEvent, withIds } from './event.ts'
import { parseKnown, renderDeal } from './render.ts'
import { readKnownDeal } from './store.ts'

const event: Parameters<typeof renderEvent>[0] = {
  type: 'deal.updated',
  timestamp: new Date('2026-03-01T17:20:05Z'),
  sequence: 12,
  dealId: int64Max,
  dealJson: renderDeal({ id: int64Max, stage: 'Permit "Submitted"\n\u2028' }),
  changes: [],
}
const body = renderEvent(event)

test('the body has the time up to which the CRM was read, if there are sources', () => {
  const asOf = new Date('2026-03-01T17:19:00Z')
  expect(renderEvent({ ...event, asOf })).toMatch(/,"changes":\[\],"asOf":"2026-03-01T17:19:00\.000Z"\}$/)
  expect(renderEvent({ ...event, asOf: null })).toBe(body)
})

test('the body of an older version is completed with the missing ids', () => {
  expect(withIds(body)).toBe(body)
  expect(withIds(body.replace('"id":"12","dealId":"9223372036854775807",', ''))).toBe(body)
})

const database = useDatabase()
let partnerId: PartnerId
beforeAll(async () => {
  partnerId = (await insertPartner(database.db, 'sunline', 'Sunline'))!.id as PartnerId
})

const day = (number: number) => `2026-03-${String(number).padStart(2, '0')}T08:00:00.000Z`

let id = 0n
/** Writes a new deal and later changes on these days. Returns the deal's times as shown in the portal. */
async function timesOf(...changes: [at: number, record: Partial<DealRecord>][]) {
  const { db } = database
  id++
  for (const [at, record] of changes)
    await writeDeals(db, [{ record: { id, ...record }, partnerId }], { now: new Date(day(at)), events: true })
  const observed = (await readObserved(db, partnerId, [id])).get(id) ?? notObserved
  const json = (await readKnownDeal(db, partnerId, id))!
  const { timeInCurrentStage, lastModified, seenAt } = withObserved({ ...parseKnown(json, null), observed })
  return { timeInCurrentStage, lastModified, seenAt }
}

test('uses the time when the portal saw a stage change if the CRM has none', async () => {
  expect(await timesOf([1, { stage: 'CAD' }], [5, { stage: 'NTP' }], [9, { amount: 1 }])).toEqual({
    timeInCurrentStage: day(5),
    lastModified: day(9),
    seenAt: day(5),
  })
  const own = { timeInCurrentStage: day(1), lastModified: day(2) }
  expect(await timesOf([1, { stage: 'CAD', ...own }], [5, { stage: 'NTP' }])).toMatchObject({
    timeInCurrentStage: day(5),
    lastModified: day(5),
  })
})

test.each([4, 6])("uses the CRM's stage time, day %i, if it changed with the stage on day 5", async (at) => {
  const own = { timeInCurrentStage: day(at), lastModified: day(at) }
  expect(await timesOf([1, { stage: 'CAD' }], [5, { stage: 'NTP', ...own }])).toMatchObject(own)
})

test('before the first move, the time in a stage is counted from when the deal was added', async () => {
  expect(await timesOf([1, { stage: 'CAD' }], [3, { amount: 1 }])).toEqual({
    timeInCurrentStage: null,
    lastModified: day(3),
    seenAt: day(1),
  })
})

test('the history and observed times of a deal are hidden from other partners', async () => {
  const { db } = database
  await timesOf([1, { stage: 'CAD' }], [5, { stage: 'NTP' }])
  expect((await readHistory(db, partnerId, id, null, 9)).entries).toHaveLength(2)
  const other = (await insertPartner(db, 'other', 'Other'))!.id
  expect((await readHistory(db, other, id, null, 9)).entries).toEqual([])
  expect((await readObserved(db, other, [id])).size).toBe(0)
})
