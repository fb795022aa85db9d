import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { changeDeals, makeReceivingPartner, queueOf, untilBlocked } from '#e2e/delivery-queue.ts'
import { closeAfterEach, dispatcherOn } from '#e2e/dispatchers.ts'
import { openQueue, patient } from '#e2e/queue-fixture.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { switchOn } from '../store.ts'
import { leaseTest } from './queue-store.ts'

const { keep, listen } = closeAfterEach()
const { db, url: databaseUrl, makeIds, makePartnerAt } = await openQueue()

const send = (options: Parameters<typeof dispatcherOn>[1] = {}, on = db) => keep(dispatcherOn(on, options))
const anotherPool = () => {
  const pool = openDatabase(databaseUrl, 4)
  keep({ close: () => pool.$client.end({ timeout: 1 }) })
  return pool
}
const inState = async (partnerId: PartnerId, state: string) =>
  (await queueOf(db, partnerId)).filter((row) => row.state === state)
const leased = async (partnerId: PartnerId) => (await queueOf(db, partnerId)).filter((row) => row.leased)

/** Returns a receiver that responds only when the test tells it to. */
async function holding() {
  const gate = Promise.withResolvers<void>()
  const receiver = await listen(async () => {
    await gate.promise
    return 200
  })
  return { ...receiver, letGo: gate.resolve }
}

describe('a delivery worker', () => {
  test('renews the lease of a long request, which no other worker repeats', async () => {
    // Long enough to be renewed in time on a busy machine.
    const leaseMs = 2000
    const receiver = await listen(async () => {
      await sleep(6000)
      return 200
    })
    const partnerId = await makePartnerAt(receiver.url)
    send({ leaseMs })
    await changeDeals(db, partnerId, makeIds(1))
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), patient)
    send({ leaseMs }, anotherPool())
    await vi.waitFor(
      async () =>
        expect(await queueOf(db, partnerId)).toMatchObject([
          { state: 'delivered', lease: 1, attemptCount: 1 },
        ]),
      patient,
    )
    expect(receiver.requests).toHaveLength(1)
  })

  test("sends a test once if the test's sender was killed", async () => {
    const receiver = await listen(() => 500)
    const partnerId = await makePartnerAt(receiver.url)
    await leaseTest(db, { partnerId, kind: 'create' }, '{"test":true}', 50)
    send()
    await vi.waitFor(
      async () =>
        expect(await queueOf(db, partnerId)).toMatchObject([{ state: 'failed', lease: 2, attemptCount: 1 }]),
      patient,
    )
    expect(receiver.requests).toHaveLength(1)
  })
})

describe('a stopped dispatcher', () => {
  test('finishes running attempts, leases nothing more and leaves the rest due', async () => {
    const receiver = await holding()
    const partnerId = await makeReceivingPartner(db, { create: `${receiver.url}/` })
    const dispatcher = send()
    await changeDeals(db, partnerId, makeIds(40))
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(16), patient)
    let stopped = false
    const stopping = dispatcher.stop(20_000).then(() => {
      stopped = true
    })
    await sleep(500)
    expect(stopped).toBe(false)
    receiver.letGo()
    await stopping
    expect(await inState(partnerId, 'delivered')).toHaveLength(16)
    expect(await inState(partnerId, 'waiting')).toHaveLength(24)
    expect(await leased(partnerId)).toEqual([])
    await sleep(300)
    expect(receiver.requests).toHaveLength(16)
  })

  test('releases unfinished attempts, which another worker sends immediately', async () => {
    const [receiver, other] = [await holding(), await listen(() => 200)]
    const partnerId = await makeReceivingPartner(db, { create: `${receiver.url}/` })
    const dispatcher = send()
    await changeDeals(db, partnerId, makeIds(5))
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(5), patient)
    await dispatcher.stop(100)
    expect(
      (await queueOf(db, partnerId)).every(
        ({ state, leased: held, dueInMs }) => state === 'waiting' && !held && dueInMs! <= 0,
      ),
    ).toBe(true)
    await db.$client`update endpoints set url = ${`${other.url}/`} where partner_id = ${partnerId}`
    // Shorter than the lease that would have blocked the delivery.
    send({ leaseMs: 600_000 })
    await vi.waitFor(() => expect(other.requests).toHaveLength(5), patient)
    receiver.letGo()
    await vi.waitFor(async () => expect(await inState(partnerId, 'delivered')).toHaveLength(5), patient)
  })

  test.each([20_000, 0])(
    'stopped during a lease query sends nothing and releases the lease: %i ms',
    async (graceMs) => {
      const receiver = await listen(() => 200)
      const partnerId = await makeReceivingPartner(db, { create: `${receiver.url}/` })
      await changeDeals(db, partnerId, makeIds(5))
      let stopping: Promise<void> = Promise.resolve()
      await db.$client.begin(async (sql) => {
        await sql`lock table deliveries in exclusive mode`
        const dispatcher = send()
        await untilBlocked(db)
        stopping = dispatcher.stop(graceMs)
        if (graceMs === 0) await stopping
        else await sleep(100)
      })
      await stopping
      await vi.waitFor(
        async () =>
          expect(
            (await queueOf(db, partnerId)).every(({ lease, leased: held }) => lease === 1 && !held),
          ).toBe(true),
        patient,
      )
      expect(receiver.requests).toEqual([])
    },
  )
})

describe('a worker that missed a notification or an event', () => {
  test('skips events past their retention', async () => {
    const receiver = await listen(() => 200)
    const partnerId = await makePartnerAt(receiver.url)
    await changeDeals(db, partnerId, makeIds(40))
    await db.$client`delete from events where partner_id = ${partnerId} and sequence <= 20`
    send()
    await vi.waitFor(async () => expect(await inState(partnerId, 'delivered')).toHaveLength(20), patient)
    expect(receiver.requests.map(({ sequence }) => sequence).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 21),
    )
  })

  test('finds events without a notification, and an endpoint that was enabled again', async () => {
    const receiver = await listen(() => 200)
    const partnerId = await makePartnerAt(receiver.url)
    await db.$client`update endpoints set switched_off_at = now(), switched_off_because = 'failing' where partner_id = ${partnerId}`
    send()
    await db.$client.unsafe('alter table events disable trigger enqueue_deliveries')
    await changeDeals(db, partnerId, makeIds(2))
    await db.$client.unsafe('alter table events enable trigger enqueue_deliveries')
    await db.$client`
      insert into deliveries (partner_id, kind, sequence, deal_id, due_at) select partner_id, 'create', sequence, deal_id, now() from events where partner_id = ${partnerId}`
    await sleep(1200)
    expect(receiver.requests).toEqual([])
    await switchOn(db, partnerId, 'create')
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(2), patient)
  })
})
