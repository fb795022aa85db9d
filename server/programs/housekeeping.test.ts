import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createUser } from '#e2e/create-user.ts'
import { makeReceivingPartner } from '#e2e/delivery-queue.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { sliceNames, trendSlices } from '../insight/reports-wire.ts'
import type { JobHandlers } from '../jobs/attempt-job.ts'
import type { Services } from '../runtime/services.ts'
import { countPageTotals, removeOld, removeOldOfPartner, warmPageTotals } from './housekeeping.ts'

const unstopped = new AbortController().signal
const database = await openTestDatabase()
let logged: object[] = []
beforeAll(async () => {
  const partnerId = await makeReceivingPartner(database.db)
  await database.db.$client`
    insert into deliveries (partner_id, kind, sequence, deal_id, state, created_at, finished_at)
    select ${partnerId}, 'update', 1, 1, 'delivered', now(), now()`
})
beforeEach(async () => {
  logged = []
  await database.db.$client`truncate attempts`
  await database.db.$client`
    insert into attempts (delivery_id, number, started_at, duration_ms, url, signature, status, response_headers, response_body)
    select id, n, now() - interval '31 days', 5, 'https://a.example/', 'v1,x', 200, '', 'ok' from deliveries, generate_series(1, 2500) n`
})

const makeServices = () =>
  ({
    db: database.db,
    log: { info: (fields: object) => void logged.push(fields) },
    config: { eventRetentionDays: 90, dataDir: '/nonexistent' },
    storages: { files: null, imports: null, disk: {} },
  }) as object as Services

const attemptCount = async () =>
  (await database.db.$client<[{ count: number }]>`select count(*)::integer as count from attempts`)[0].count

test('a stopped removal ends after its current batch', async () => {
  await removeOld(makeServices(), AbortSignal.abort())
  expect(await attemptCount()).toBe(1500)
  expect(logged).toMatchObject([{ removed: { attempts: 1000 } }])
})

test('a complete removal deletes all old data, and logs nothing if there is none', async () => {
  await removeOld(makeServices(), unstopped)
  expect(await attemptCount()).toBe(0)
  expect(logged).toMatchObject([{ removed: { attempts: 2500 } }])
  await removeOld(makeServices(), unstopped)
  expect(logged).toHaveLength(1)
})

test('events and deliveries are removed after the configured number of days', async () => {
  const { db } = database
  const { id: partnerId } = (await insertPartner(db, 'retained', 'Retained'))!
  await db.$client`
    insert into events (partner_id, sequence, type, deal_id, created_at, body)
    select ${partnerId}, n, 'deal.updated', 1, now() - interval '1 day' * (7 - 2 * n), '{}' from generate_series(1, 3) n`
  await db.$client`
    insert into deliveries (partner_id, kind, sequence, deal_id, state, created_at, finished_at)
    select partner_id, 'update', sequence, deal_id, 'delivered', created_at, created_at from events
    where partner_id = ${partnerId}`
  const services = makeServices()
  const countRemaining = async (days: number) => {
    const own = { ...services, config: { ...services.config, eventRetentionDays: days } }
    await removeOld(own, unstopped)
    const handlers = {
      'remove-old-events': (job: { partnerId: number }) =>
        removeOldOfPartner(own, job.partnerId as PartnerId, unstopped),
    }
    expect(await runDueJobs(db, handlers)).toEqual([])
    const [row] = await db.$client`select
      (select count(*)::integer from events where partner_id = ${partnerId}) as events,
      (select count(*)::integer from deliveries where partner_id = ${partnerId}) as deliveries`
    return row
  }
  expect(await countRemaining(6)).toEqual({ events: 3, deliveries: 3 })
  expect(await countRemaining(4)).toEqual({ events: 2, deliveries: 2 })
  expect(await countRemaining(2)).toEqual({ events: 1, deliveries: 1 })
})

test('totals of each page are ready before users of a long list open the page', async () => {
  const { db } = database
  const { id: partnerId } = (await insertPartner(db, 'sunline', 'Sunline'))!
  await writeDeals(db, [{ record: { id: 1n }, partnerId }], { now: new Date(), events: false })
  await db.$client`update deal_lists set deal_count = 25000 where id = ${partnerId}`
  const user = { email: 'ana@sunline.example', name: 'Ana', password: 'correct horse battery' }
  await createUser(db, { ...user, role: 'member', partnerId })
  await warmPageTotals(db)
  const handlers: Partial<JobHandlers> = {
    'count-totals': (job) =>
      countPageTotals({ db, replica: null }, job.listId as PartnerId, job, AbortSignal.abort()),
  }
  expect(await runDueJobs(db, handlers)).toEqual([])
  const totals = await db.$client<{ kind: string }[]>`
    select kind from list_totals where list_id = ${partnerId} and totals is not null`
  const kinds = totals.map(({ kind }) => kind.replace(/-\d+$/, ''))
  expect(kinds.toSorted()).toEqual(
    [
      'home',
      'offers',
      'values',
      'money',
      'flow',
      'trends',
      'map',
      'scorecard',
      ...sliceNames.map((slice) => `flow-${slice}`),
      ...trendSlices.map((slice) => `trends-${slice}`),
    ].toSorted(),
  )
})
