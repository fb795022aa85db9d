import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { changeDeals, makeReceivingPartner, queueOf } from '#e2e/delivery-queue.ts'
import { closeAfterEach, dispatcherOn } from '#e2e/dispatchers.ts'
import { openQueue, patient } from '#e2e/queue-fixture.ts'
import type { PartnerId } from '../../accounts/partner.ts'

const { keep, listen } = closeAfterEach()
const { db, makeIds } = await openQueue()

const queueWidth = 16

/** Treats every response as fast, regardless of how busy the machine is. */
const soonMs = 20_000

const leasedOf = async (partnerId: PartnerId) => (await queueOf(db, partnerId)).filter(({ leased }) => leased)

const untilDelivered = (partnerId: PartnerId, count: number) =>
  vi.waitFor(async () => {
    expect((await queueOf(db, partnerId)).filter(({ state }) => state === 'delivered')).toHaveLength(count)
  }, patient)

test('sends at most one more batch while results cannot be recorded', async () => {
  const receiver = await listen(() => 200)
  const partnerId = await makeReceivingPartner(db, { create: `${receiver.url}/` })
  await changeDeals(db, partnerId, makeIds(100))
  await db.$client.begin(async (sql) => {
    await sql`select from endpoints where partner_id = ${partnerId} for update`
    keep(dispatcherOn(db, { soonMs }))
    // The worker leases only one queue width ahead, which limits the requests that are repeated after a
    // worker is killed.
    await vi.waitFor(async () => expect(await leasedOf(partnerId)).toHaveLength(3 * queueWidth), patient)
    await sleep(300)
    expect(await leasedOf(partnerId)).toHaveLength(3 * queueWidth)
    expect(receiver.requests).toHaveLength(2 * queueWidth)
  })
  await untilDelivered(partnerId, 100)
  expect(receiver.requests).toHaveLength(100)
})

test('leases nothing ahead for an endpoint that responds slowly', async () => {
  const open: (() => void)[] = []
  const receiver = await listen(() => new Promise<number>((resolve) => open.push(() => resolve(200))))
  const partnerId = await makeReceivingPartner(db, { create: `${receiver.url}/` })
  await changeDeals(db, partnerId, makeIds(100))
  keep(dispatcherOn(db))
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(queueWidth), patient)
  await sleep(300)
  for (const answer of open.splice(0)) answer()
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(2 * queueWidth), patient)
  await vi.waitFor(async () => {
    const queue = await queueOf(db, partnerId)
    expect(queue.filter(({ state }) => state === 'delivered')).toHaveLength(queueWidth)
    expect(queue.filter(({ leased }) => leased)).toHaveLength(queueWidth)
  }, patient)
  for (const answer of open.splice(0)) answer()
})

test.each([
  ['a failure', 500],
  ['the stop of the worker', null],
])('deliveries leased ahead are released by %s, and not sent', async (_what, status) => {
  let last: ((status: number) => void) | null = null
  const receiver = await listen(() => {
    // Accepts the first requests immediately, and responds to later requests only when the test ends them.
    if (receiver.requests.length <= queueWidth) return 200
    return new Promise<number>((resolve) => (last = resolve))
  })
  const partnerId = await makeReceivingPartner(db, { create: `${receiver.url}/` })
  await changeDeals(db, partnerId, makeIds(100))
  const dispatcher = keep(dispatcherOn(db, { soonMs, retry: { scheduleMs: [0, 60_000], throttleMs: 0 } }))
  await vi.waitFor(async () => {
    expect(receiver.requests).toHaveLength(2 * queueWidth)
    expect(await leasedOf(partnerId)).toHaveLength(2 * queueWidth)
  }, patient)
  if (status === null) await dispatcher.stop(0)
  else last!(status)
  const expected = status === null ? 0 : queueWidth
  await vi.waitFor(async () => expect(await leasedOf(partnerId)).toHaveLength(expected), patient)
  expect(receiver.requests.length).toBeLessThanOrEqual(2 * queueWidth + 1)
})

test('deliveries being leased ahead when a request fails are released, and not sent', async () => {
  const open: ((status: number) => void)[] = []
  const receiver = await listen(() => new Promise<number>((resolve) => open.push(resolve)))
  const partnerId = await makeReceivingPartner(db, { create: `${receiver.url}/` })
  await changeDeals(db, partnerId, makeIds(100))
  keep(dispatcherOn(db, { soonMs, retry: { scheduleMs: [0, 60_000], throttleMs: 0 } }))
  await vi.waitFor(() => expect(open).toHaveLength(queueWidth), patient)
  await db.$client.begin(async (transaction) => {
    // The deliveries are leased, and the queue waits for their signing secrets.
    await transaction`lock table webhook_secrets in access exclusive mode`
    open.pop()!(200)
    await vi.waitFor(
      async () => expect((await leasedOf(partnerId)).length).toBeGreaterThan(2 * queueWidth - 1),
      patient,
    )
    open.pop()!(500)
    await vi.waitFor(async () => {
      const queue = await queueOf(db, partnerId)
      expect(queue.filter(({ attemptCount }) => attemptCount > 0)).toHaveLength(2)
    }, patient)
  })
  await vi.waitFor(async () => expect(await leasedOf(partnerId)).toHaveLength(queueWidth), patient)
  expect(receiver.requests.length).toBeLessThanOrEqual(queueWidth + 2)
})

test('deliveries withdrawn while leased ahead behind slow requests are not sent', async () => {
  const open: (() => void)[] = []
  const receiver = await listen(() => {
    if (receiver.requests.length <= queueWidth || receiver.requests.length > 2 * queueWidth) return 200
    return new Promise<number>((resolve) => open.push(() => resolve(200)))
  })
  const partnerId = await makeReceivingPartner(db, { create: `${receiver.url}/` })
  await changeDeals(db, partnerId, makeIds(100))
  keep(dispatcherOn(db, { soonMs }))
  const isSent = (dealId: string) => receiver.requests.some((request) => request.dealId === dealId)
  const ahead = await vi.waitFor(async () => {
    expect(receiver.requests).toHaveLength(2 * queueWidth)
    const waiting = (await queueOf(db, partnerId)).filter(({ leased, dealId }) => leased && !isSent(dealId))
    expect(waiting).toHaveLength(queueWidth)
    return waiting
  }, patient)
  const [withdrawn] = ahead
  await db.$client`
    update deliveries set state = 'failed', withdrawn_because = 'moved', due_at = null, finished_at = now()
    where id = ${withdrawn!.id}`
  await sleep(1100)
  for (const answer of open) answer()
  await untilDelivered(partnerId, 99)
  expect(isSent(withdrawn!.dealId)).toBe(false)
})
