import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { closeAfterEach, dispatcherOn, openQueue, patient } from '#e2e/dispatchers.ts'
import { type Answer, type Receiver, acceptedSequences, outOfOrder } from '#e2e/receiver.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { writeDeals } from '../../deals/deal-writer.ts'
import { readEndpoints, writeEndpoints } from '../store.ts'
import { EndpointQueue } from './endpoint-queue.ts'

const { keep, listen } = closeAfterEach()
const { db, makeId, makeIds, makePartner, makePartnerAt, change, queue, untilQueued } = await openQueue()

const queueWidth = 16

/** Treats every response as fast, regardless of how busy the machine is. */
const soonMs = 60_000
const send = (options: Parameters<typeof dispatcherOn>[1] = {}) =>
  keep(dispatcherOn(db, { retry: { scheduleMs: [0, 60_000], throttleMs: 0 }, ...options }))

/**
 * Returns a receiver that accepts the first `accepted` requests, and responds to later ones when the test
 * calls a function of `open`.
 */
async function holding(accepted = 0) {
  const open: ((status: number) => void)[] = []
  const receiver = await listen(() =>
    receiver.requests.length <= accepted ? 200 : new Promise<number>((resolve) => open.push(resolve)),
  )
  return {
    receiver,
    open,
    letGo() {
      receiver.answer = () => 200
      for (const answer of open.splice(0)) answer(200)
    },
  }
}

/** Creates a partner with this many new deals, whose events are sent to the receiver. */
async function makeListener({ url }: Receiver, count = 100): Promise<PartnerId> {
  const partnerId = await makePartnerAt(url)
  await change(partnerId, ...makeIds(count))
  return partnerId
}

const untilRequested = ({ requests }: Receiver, count: number) =>
  vi.waitFor(() => expect(requests).toHaveLength(count), patient)
const untilDelivered = (partnerId: PartnerId, count: number) =>
  untilQueued(partnerId, count, { state: 'delivered' })
const untilLeased = (partnerId: PartnerId, count: number) =>
  untilQueued(partnerId, count, { state: 'waiting', leased: true })

describe('deliveries leased ahead', () => {
  test('are at most one more batch while results cannot be recorded', async () => {
    const receiver = await listen(() => 200)
    const partnerId = await makeListener(receiver)
    await db.$client.begin(async (sql) => {
      await sql`select from endpoints where partner_id = ${partnerId} for update`
      send({ soonMs })
      // The worker leases only one queue width ahead, which limits the requests that are repeated after a
      // worker is killed.
      await untilLeased(partnerId, 3 * queueWidth)
      await sleep(300)
      await untilLeased(partnerId, 3 * queueWidth)
      expect(receiver.requests).toHaveLength(2 * queueWidth)
    })
    await untilDelivered(partnerId, 100)
    expect(receiver.requests).toHaveLength(100)
  })

  test('are none if the endpoint responds slowly', async () => {
    const { receiver, open, letGo } = await holding()
    const partnerId = await makeListener(receiver)
    send()
    await untilRequested(receiver, queueWidth)
    await sleep(300)
    for (const answer of open.splice(0)) answer(200)
    await untilRequested(receiver, 2 * queueWidth)
    await untilDelivered(partnerId, queueWidth)
    await untilLeased(partnerId, queueWidth)
    letGo()
  })

  test.each([
    ['a failure', 500],
    ['the stop of the worker', null],
  ])('are released by %s, and not sent', async (_what, status) => {
    const { receiver, open } = await holding(queueWidth)
    const partnerId = await makeListener(receiver)
    const dispatcher = send({ soonMs })
    await untilRequested(receiver, 2 * queueWidth)
    await untilLeased(partnerId, 2 * queueWidth)
    if (status === null) await dispatcher.stop(0)
    else open[0]!(status)
    await untilLeased(partnerId, status === null ? 0 : queueWidth)
    expect(receiver.requests.length).toBeLessThanOrEqual(2 * queueWidth + 1)
  })

  test('are released if a request fails while they are being leased', async () => {
    const { receiver, open } = await holding()
    const partnerId = await makeListener(receiver)
    send({ soonMs })
    await untilRequested(receiver, queueWidth)
    await db.$client.begin(async (transaction) => {
      // The deliveries are leased, and the queue waits for their signing secrets.
      await transaction`lock table webhook_secrets in access exclusive mode`
      open.pop()!(200)
      await vi.waitFor(
        async () =>
          expect((await queue(partnerId, { leased: true })).length).toBeGreaterThan(2 * queueWidth - 1),
        patient,
      )
      open.pop()!(500)
      await untilQueued(partnerId, 2, { attemptCount: 1 })
    })
    await untilLeased(partnerId, queueWidth)
    expect(receiver.requests.length).toBeLessThanOrEqual(queueWidth + 2)
  })
})

// After a deal moves to another partner, no new requests about the deal are sent to its former partner, even
// for leased deliveries.
describe('a withdrawn delivery is not sent', () => {
  /** Moves deals to another partner. Resolves once the dispatcher has been notified. */
  async function move(...ids: bigint[]) {
    const to = await makePartner()
    const withdraw = vi.spyOn(EndpointQueue.prototype, 'withdraw')
    await writeDeals(
      db,
      ids.map((id) => ({ record: { id }, partnerId: to })),
      { now: new Date(), events: true },
    )
    await vi.waitFor(() => expect(withdraw).toHaveBeenCalledTimes(ids.length), patient)
    withdraw.mockRestore()
  }
  const dealsOf = ({ requests }: Receiver) => requests.map(({ dealId }) => dealId)

  test.each([true, false])(
    'if it is leased ahead; another one is leased instead: notified %s',
    async (isNotified) => {
      const { receiver, letGo } = await holding(queueWidth)
      const partnerId = await makeListener(receiver)
      send({ soonMs })
      await untilRequested(receiver, 2 * queueWidth)
      await untilLeased(partnerId, 2 * queueWidth)
      const sent = new Set(dealsOf(receiver))
      const ahead = (await queue(partnerId, { leased: true })).filter(({ dealId }) => !sent.has(dealId))
      expect(ahead).toHaveLength(queueWidth)
      const withdrawn = isNotified ? ahead : ahead.slice(0, 1)
      if (isNotified) await move(...ahead.map(({ dealId }) => BigInt(dealId)))
      else {
        await db.$client`
          update deliveries set state = 'failed', withdrawn_because = 'moved', due_at = null, finished_at = now()
          where id = ${ahead[0]!.id}`
        // Older leases are released, because the notification may have been lost.
        await sleep(1100)
      }
      letGo()
      await untilDelivered(partnerId, 100 - withdrawn.length)
      expect(new Set(dealsOf(receiver)).isDisjointFrom(new Set(withdrawn.map(({ dealId }) => dealId)))).toBe(
        true,
      )
    },
  )

  test('if it is withdrawn during the connection attempt, which is not recorded', async () => {
    const gate = Promise.withResolvers<void>()
    const receiver = await listen(() => 200)
    const resolve = vi.fn(async () => {
      await gate.promise
      return ['127.0.0.1']
    })
    const partnerId = await makePartnerAt(`http://hooks.partner.test:${receiver.port}`)
    const [moving, staying] = makeIds(2)
    send({ resolve })
    await change(partnerId, moving!, staying!)
    await vi.waitFor(() => expect(resolve).toHaveBeenCalledTimes(2), patient)
    await move(moving!)
    gate.resolve()
    await untilDelivered(partnerId, 1)
    expect(await queue(partnerId)).toMatchObject([
      { state: 'failed', attemptCount: 0 },
      { state: 'delivered', attemptCount: 1 },
    ])
    expect(dealsOf(receiver)).toEqual([String(staying)])
  })

  test('if it is withdrawn while being leased', async () => {
    const receiver = await listen(() => 200)
    const partnerId = await makePartnerAt(receiver.url)
    const [moving, staying] = makeIds(2)
    send()
    await db.$client.begin(async (sql) => {
      // Blocks the read of the secrets, which precedes sending the leased deliveries.
      await sql`lock table webhook_secrets in access exclusive mode`
      await change(partnerId, moving!, staying!)
      await untilLeased(partnerId, 2)
      await move(moving!)
    })
    await untilDelivered(partnerId, 1)
    expect(dealsOf(receiver)).toEqual([String(staying)])
  })
})

describe('an endpoint that asks for fewer requests', () => {
  /** Attempts are far apart, so a test that wrongly uses up an attempt times out. */
  const sendSlowly = (options: Parameters<typeof dispatcherOn>[1] = {}) =>
    send({ retry: { scheduleMs: [0, 100, 600_000, 600_000], throttleMs: 100 }, ...options })

  /** Returns a response function that accepts `width` concurrent requests and rejects more. */
  function takes(width: number, status = 429, headers: Record<string, string> = {}): Answer {
    let busy = 0
    return async (_request, response) => {
      if (busy >= width) return void response.writeHead(status, headers).end()
      busy++
      await sleep(30)
      busy--
      return 200
    }
  }
  const waiting =
    (seconds: number): Answer =>
    (_request, response) =>
      void response.writeHead(429, { 'retry-after': String(seconds) }).end()
  const countAttempts = async (partnerId: PartnerId) =>
    (
      await db.$client`select from attempts join deliveries on id = delivery_id where partner_id = ${partnerId}`
    ).count

  test.each([
    ['429', 1, takes(5)],
    ['503 with Retry-After', 1, takes(5, 503, { 'retry-after': '1' })],
    ['502, with two workers', 2, takes(5, 502)],
  ] as const)(
    'with %s beyond five at a time gets 300 events with few rejections',
    async (_name, workers, answer) => {
      const receiver = await listen(answer)
      const partnerId = await makePartnerAt(receiver.url)
      const ids = makeIds(150)
      await change(partnerId, ...ids)
      await change(partnerId, ...ids)
      for (let worker = 0; worker < workers; worker++) sendSlowly()
      await vi.waitFor(() => expect(acceptedSequences(receiver)).toHaveLength(300), {
        timeout: 60_000,
        interval: 100,
      })
      const refused = receiver.requests.length - receiver.accepted.length
      expect(refused).toBeGreaterThan(0)
      expect(refused).toBeLessThan(150)
      expect(outOfOrder(receiver)).toEqual([])
      await untilDelivered(partnerId, 300)
      // Attempts may have been used up only by rejections that arrived before a worker slowed down.
      const steps = (await queue(partnerId)).reduce((sum, { step }) => sum + step - 1, 0)
      expect(steps).toBeLessThanOrEqual(2 * workers)
    },
    90_000,
  )

  test('gets nothing until Retry-After has passed, even from a worker that has just started', async () => {
    const receiver = await listen(waiting(2))
    const partnerId = await makeListener(receiver, 1)
    const dispatcher = sendSlowly()
    await untilQueued(partnerId, 1, { attemptCount: 1 })
    await change(partnerId, ...makeIds(20))
    await dispatcher.close()
    receiver.answer = () => 200
    sendSlowly()
    await untilDelivered(partnerId, 21)
    const [refused, first, second] = receiver.requests
    expect(first!.at - refused!.at).toBeGreaterThanOrEqual(1950)
    // The new worker starts with one concurrent request.
    expect(first!.acceptedStep!).toBeLessThan(second!.step)
  })

  test('and rejects everything gets few requests, uses up no attempts, fills no log, and is disabled', async () => {
    const receiver = await listen(() => 503)
    const partnerId = await makeListener(receiver, 40)
    sendSlowly({ failingMs: 3000 })
    await vi.waitFor(
      async () =>
        expect((await readEndpoints(db, partnerId))[0]).toMatchObject({
          switchedOffBecause: 'failing',
          failingAnswer: '503',
          slowedStatus: 503,
        }),
      patient,
    )
    expect(receiver.requests.length).toBeLessThan(60)
    expect(await queue(partnerId, { state: 'waiting', step: 0 })).toHaveLength(39)
    expect(await queue(partnerId, { state: 'waiting', step: 1 })).toHaveLength(1)
    // One row per delivery, and one more for the delivery whose first rejection counted as an attempt.
    expect(await countAttempts(partnerId)).toBeLessThanOrEqual(41)
  })

  test('for only one delivery uses up the attempts of that delivery, and gets the others', async () => {
    const receiver = await listen(({ sequence }) => (sequence === 1 ? 502 : 200))
    const partnerId = await makePartnerAt(receiver.url)
    send({ retry: { scheduleMs: [0, 10, 10], throttleMs: 0 } })
    for (let times = 0; times < 60; times++) {
      await change(partnerId, makeId())
      await sleep(50)
    }
    await untilDelivered(partnerId, 59)
    await untilQueued(partnerId, 1, { sequence: 1, state: 'failed' })
  })

  test('delays no other, and its new URL is used immediately', async () => {
    const [slowed, other] = [await listen(waiting(600)), await listen()]
    const partnerId = await makePartner({ create: slowed.url, update: other.url })
    const id = makeId()
    sendSlowly()
    await change(partnerId, id)
    await untilQueued(partnerId, 1, { attemptCount: 1 })
    await change(partnerId, id)
    await untilDelivered(partnerId, 1)
    expect(slowed.requests).toHaveLength(1)
    await writeEndpoints(db, partnerId, { create: `${other.url}/new` })
    await untilDelivered(partnerId, 2)
    expect(other.accepted).toHaveLength(2)
    expect((await readEndpoints(db, partnerId))[0]).toMatchObject({ pausedUntil: null, slowedStatus: null })
  })
})
