import { expect, test, vi } from 'vitest'
import { closeAfterEach, courierOn } from '#e2e/couriers.ts'
import { changeDeals, makeReceivingPartner, queueOf } from '#e2e/delivery-queue.ts'
import { openQueue, patient } from '#e2e/queue-fixture.ts'
import type { PartnerId } from '../../accounts/partner.ts'

const { keep, listen } = closeAfterEach()
const { db, makeIds } = await openQueue()

const laneWidth = 16

const untilDelivered = (partnerId: PartnerId, count: number) =>
  vi.waitFor(async () => {
    expect((await queueOf(db, partnerId)).filter(({ state }) => state === 'delivered')).toHaveLength(count)
  }, patient)

test('while results cannot be recorded the next ones are sent, but no more than another lane of them', async () => {
  const receiver = await listen(() => 200)
  const partnerId = await makeReceivingPartner(db, { create: `${receiver.url}/` })
  await changeDeals(db, partnerId, makeIds(100))
  await db.$client.begin(async (sql) => {
    await sql`select from endpoints where partner_id = ${partnerId} for update`
    keep(courierOn(db))
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(2 * laneWidth), patient)
    expect((await queueOf(db, partnerId)).filter(({ leased }) => leased)).toHaveLength(2 * laneWidth)
  })
  await untilDelivered(partnerId, 100)
  expect(receiver.requests).toHaveLength(100)
})
