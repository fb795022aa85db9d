import { expect, test, vi } from 'vitest'
import { changeDeals, makeReceivingPartner, queueOf } from '#e2e/delivery-queue.ts'
import { closeAfterEach, dispatcherOn } from '#e2e/dispatchers.ts'
import { openQueue, patient } from '#e2e/queue-fixture.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { writeDeals } from '../../deals/deal-writer.ts'
import { EndpointQueue } from './endpoint-queue.ts'

// After a deal moves to another partner, no new requests about the deal are sent to its former partner, even
// for leased deliveries.

const { keep, listen } = closeAfterEach()
const { db, makeIds } = await openQueue()

const queueWidth = 16

/** Treats every response as fast, regardless of how busy the machine is. */
const soonMs = 60_000

/** Moves deals to another partner. Resolves once the dispatcher has been notified. */
async function move(ids: bigint[]) {
  const to = await makeReceivingPartner(db)
  const withdraw = vi.spyOn(EndpointQueue.prototype, 'withdraw')
  await writeDeals(
    db,
    ids.map((id) => ({ record: { id }, partnerId: to })),
    { now: new Date(), events: true },
  )
  await vi.waitFor(() => expect(withdraw).toHaveBeenCalledTimes(ids.length), patient)
  withdraw.mockRestore()
}

const leasedOf = async (partnerId: PartnerId) =>
  (await queueOf(db, partnerId)).filter(({ leased, state }) => leased && state === 'waiting')

test('withdrawn leases are dropped and replaced', async () => {
  const gate = Promise.withResolvers<void>()
  const [first, ...ids] = makeIds(1 + 3 * queueWidth)
  const receiver = await listen(async ({ dealId }) => {
    if (dealId !== String(first)) await gate.promise
    return 200
  })
  const partnerId = await makeReceivingPartner(db, { create: `${receiver.url}/` })
  keep(dispatcherOn(db, { soonMs }))
  await changeDeals(db, partnerId, [first!])
  await vi.waitFor(() => expect(receiver.accepted).toHaveLength(1), patient)
  await changeDeals(db, partnerId, ids)
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1 + queueWidth), patient)
  await vi.waitFor(async () => expect(await leasedOf(partnerId)).toHaveLength(2 * queueWidth), patient)

  const begun = new Set(receiver.requests.map(({ dealId }) => dealId))
  const ahead = (await leasedOf(partnerId)).map(({ dealId }) => dealId).filter((id) => !begun.has(id))
  expect(ahead).toHaveLength(queueWidth)
  await move(ahead.map(BigInt))
  gate.resolve()
  const staying = [first!, ...ids].map(String).filter((id) => !ahead.includes(id))
  await vi.waitFor(() => expect(receiver.accepted).toHaveLength(staying.length), patient)
  expect(receiver.requests.map(({ dealId }) => dealId).toSorted()).toEqual(staying.toSorted())
})

test('withdrawing during the connection attempt sends nothing and records no attempt', async () => {
  const gate = Promise.withResolvers<void>()
  const receiver = await listen(() => 200)
  const resolve = vi.fn(async () => {
    await gate.promise
    return ['127.0.0.1']
  })
  const url = `http://hooks.partner.test:${receiver.port}/`
  const partnerId = await makeReceivingPartner(db, { create: url })
  const [moving, staying] = makeIds(2)
  keep(dispatcherOn(db, { resolve }))
  await changeDeals(db, partnerId, [moving!, staying!])
  await vi.waitFor(() => expect(resolve).toHaveBeenCalledTimes(2), patient)
  await move([moving!])
  gate.resolve()
  await vi.waitFor(async () => {
    expect((await queueOf(db, partnerId)).map(({ state, attemptCount }) => [state, attemptCount])).toEqual([
      ['failed', 0],
      ['delivered', 1],
    ])
  }, patient)
  expect(receiver.requests.map(({ dealId }) => dealId)).toEqual([String(staying)])
})

test('a delivery withdrawn while being leased is not sent when the lease arrives', async () => {
  const receiver = await listen(() => 200)
  const partnerId = await makeReceivingPartner(db, { create: `${receiver.url}/` })
  const [moving, staying] = makeIds(2)
  keep(dispatcherOn(db))
  await db.$client.begin(async (sql) => {
    // Blocks the read of the secrets, which precedes sending the leased deliveries.
    await sql`lock table webhook_secrets in access exclusive mode`
    await changeDeals(db, partnerId, [moving!, staying!])
    await vi.waitFor(async () => expect(await leasedOf(partnerId)).toHaveLength(2), patient)
    await move([moving!])
  })
  await vi.waitFor(() => expect(receiver.accepted).toHaveLength(1), patient)
  expect(receiver.requests.map(({ dealId }) => dealId)).toEqual([String(staying)])
})
