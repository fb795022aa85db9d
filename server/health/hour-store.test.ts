import { beforeEach, expect, test, vi } from 'vitest'
import { openTestDatabase } from '#e2e/open-database.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { recordHours, recordLag, readHours, removeOldHours } from './hour-store.ts'
import { visibleHours } from './policy.ts'

const database = await openTestDatabase()
beforeEach(() => database.db.$client`truncate health_hours`)

const log = { warn: vi.fn() }
const current = async () => (await readHours(database.db)).at(-1)!

test('requests and attempts of several processes are summed by hour', async () => {
  const recorders = [recordHours(database.db, log), recordHours(database.db, log)]
  for (const recorder of recorders) {
    for (const status of [200, 304, 404, 500]) recorder.request(status)
    recorder.attempt(true)
    recorder.attempt(false)
  }
  await Promise.all(recorders.map((recorder) => recorder.stop()))
  const hours = await readHours(database.db)
  expect(hours).toHaveLength(visibleHours)
  expect(hours.at(-1)).toMatchObject({ requests: 8, errors: 4, attempts: 4, failures: 2 })
  expect(hours.at(-1)!.hour.getTime()).toBeLessThanOrEqual(Date.now())
  expect(hours.at(-1)!.hour.getTime() - hours[0]!.hour.getTime()).toBe((visibleHours - 1) * 3_600_000)
})

test('the longest lag in an hour is kept', async () => {
  const { db } = database
  const partnerId = (await insertPartner(db, 'sunline', 'Sunline'))!.id
  await db.$client`insert into endpoints (partner_id, kind, url) values (${partnerId}, 'create', 'https://a.example')`
  await writeDeals(db, [{ record: { id: 1n }, partnerId }], { now: new Date(), events: true })
  await db.$client`update deliveries set due_at = now() - interval '90 seconds'`
  await recordLag(db)
  await db.$client`update deliveries set due_at = now() + interval '1 hour'`
  await recordLag(db)
  const { deliveryLagS } = await current()
  expect(Math.round(deliveryLagS / 10)).toBe(9)
  await db.$client`update endpoints set switched_off_at = now(), switched_off_because = 'gone'`
  await db.$client`update deliveries set due_at = now() - interval '1 hour'`
  await recordLag(db)
  expect((await current()).deliveryLagS).toBe(deliveryLagS)
})

test('imported rows count in the hour in which the import ended', async () => {
  await database.db.$client`
    insert into imports (file_name, size_bytes, events, state, created, updated, unchanged, rejected, finished_at)
    values ('a.csv', 1, true, 'done', 3, 2, 1, 4, now()), ('b.csv', 1, true, 'failed', 9, 9, 9, 9, now()),
      ('c.csv', 1, true, 'done', 1, 0, 0, 0, now() - interval '2 hours'),
      ('d.csv', 1, true, 'done', 7, 0, 0, 0, now() - interval '2 days')`
  const hours = await readHours(database.db)
  expect([hours.at(-1), hours.at(-3)]).toMatchObject([
    { rows: 10, rejected: 4 },
    { rows: 1, rejected: 0 },
  ])
  expect(hours.reduce((sum, { rows }) => sum + rows, 0)).toBe(11)
})

test('old hours are removed', async () => {
  await database.db.$client`
    insert into health_hours (hour, requests)
    values (date_trunc('hour', now()), 1), (date_trunc('hour', now()) - interval '31 days', 1)`
  expect(await removeOldHours(database.db, 30)).toBe(1)
  expect((await current()).requests).toBe(1)
})
