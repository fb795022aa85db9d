import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { changeDeals, makeReceivingPartner, queueOf } from '#e2e/delivery-queue.ts'
import { closeAfterEach, dispatcherOn } from '#e2e/dispatchers.ts'
import { openQueue, patient } from '#e2e/queue-fixture.ts'
import { type Answer, type Receiver, acceptedSequences, outOfOrder } from '#e2e/receiver.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { readEndpoints, writeEndpoints } from '../store.ts'

// Tests endpoints that ask for fewer requests.

const { keep, listen } = closeAfterEach()
const { db, makeId, makeIds, makePartnerAt } = await openQueue()

/** Attempts are far apart by default, so a test that wrongly uses up an attempt times out. */
const retry = { scheduleMs: [0, 100, 600_000, 600_000], throttleMs: 100 }
const send = (options: Parameters<typeof dispatcherOn>[1] = {}) =>
  keep(dispatcherOn(db, { retry, ...options }))

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

const refusalsOf = ({ requests, accepted }: Receiver) => requests.length - accepted.length
const attemptsOf = (partnerId: PartnerId) =>
  db.$client<{ id: number; number: number; status: number; refusals: number }[]>`
    select delivery_id::float8 as id, number, status, attempts.refusals from attempts
    join deliveries on id = delivery_id where partner_id = ${partnerId} order by 1, 2`

test.each([
  ['429', 1, takes(5)],
  ['503 with Retry-After', 1, takes(5, 503, { 'retry-after': '1' })],
  ['502, with two workers', 2, takes(5, 502)],
] as const)(
  'an endpoint that takes five requests at a time and answers others with %s gets 300 events with few rejections',
  async (_name, workers, answer) => {
    const receiver = await listen(answer)
    const partnerId = await makePartnerAt(receiver.url)
    const ids = makeIds(150)
    await changeDeals(db, partnerId, ids)
    await changeDeals(db, partnerId, ids)
    for (let worker = 0; worker < workers; worker++) send()
    await vi.waitFor(() => expect(acceptedSequences(receiver)).toHaveLength(300), {
      timeout: 60_000,
      interval: 100,
    })
    expect(refusalsOf(receiver)).toBeGreaterThan(0)
    expect(refusalsOf(receiver)).toBeLessThan(150)
    expect(outOfOrder(receiver).map(({ sequence }) => sequence)).toEqual([])
    await vi.waitFor(async () => {
      const states = (await queueOf(db, partnerId)).map(({ state }) => state)
      expect(new Set(states)).toEqual(new Set(['delivered']))
    }, patient)
    // Attempts may have been used up only by rejections that arrived before a worker slowed down.
    const steps = (await queueOf(db, partnerId)).reduce((sum, { step }) => sum + step - 1, 0)
    expect(steps).toBeLessThanOrEqual(2 * workers)
  },
  90_000,
)

test('no worker sends anything until Retry-After has passed, not even a worker that has just started', async () => {
  const receiver = await listen(
    (_request, response) => void response.writeHead(429, { 'retry-after': '2' }).end(),
  )
  const partnerId = await makeReceivingPartner(db, { create: receiver.url })
  const dispatcher = send()
  await changeDeals(db, partnerId, [makeId()])
  await vi.waitFor(async () => expect(await attemptsOf(partnerId)).toHaveLength(1), patient)
  await changeDeals(db, partnerId, makeIds(20))
  await dispatcher.close()
  receiver.answer = () => 200
  send()
  await vi.waitFor(() => expect(receiver.accepted).toHaveLength(21), patient)
  const [refused, first, second] = receiver.requests
  expect(first!.at - refused!.at).toBeGreaterThanOrEqual(1950)
  // The new worker starts with one concurrent request.
  expect(first!.acceptedStep!).toBeLessThan(second!.step)
})

test('an endpoint that rejects everything gets few requests, uses up no attempts, fills no log, and is disabled', async () => {
  const receiver = await listen(() => 503)
  const partnerId = await makeReceivingPartner(db, { create: receiver.url })
  await changeDeals(db, partnerId, makeIds(40))
  send({ failingMs: 3000 })
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
  const queue = await queueOf(db, partnerId)
  expect(queue.every(({ state, step }) => state === 'waiting' && step <= 1)).toBe(true)
  expect(queue.filter(({ step }) => step === 1)).toHaveLength(1)
  // One row per delivery, and one more for the delivery whose first rejection counted as an attempt.
  expect((await attemptsOf(partnerId)).length).toBeLessThanOrEqual(41)
})

test('rejections of one delivery share a log entry, and its acceptance has a separate one', async () => {
  const receiver = await listen(({ attempt }) => (attempt < 6 ? 504 : 200))
  const partnerId = await makeReceivingPartner(db, { create: receiver.url })
  await changeDeals(db, partnerId, [makeId()])
  send()
  await vi.waitFor(() => expect(receiver.accepted).toHaveLength(1), patient)
  const attempts = await vi.waitFor(async () => {
    const found = await attemptsOf(partnerId)
    expect(found).toHaveLength(3)
    return found
  }, patient)
  expect(attempts.map(({ number, status, refusals }) => [number, status, refusals])).toEqual([
    [1, 504, 0],
    [2, 504, 3],
    [3, 200, 0],
  ])
  expect((await queueOf(db, partnerId))[0]).toMatchObject({ state: 'delivered', attemptCount: 3, step: 2 })
})

test('a delivery that alone is rejected uses up its attempts, and the others are delivered', async () => {
  const receiver = await listen(({ sequence }) => (sequence === 1 ? 502 : 200))
  const partnerId = await makeReceivingPartner(db, { create: receiver.url })
  send({ retry: { scheduleMs: [0, 10, 10], throttleMs: 0 } })
  for (let times = 0; times < 60; times++) {
    await changeDeals(db, partnerId, [makeId()])
    await sleep(50)
  }
  await vi.waitFor(async () => {
    expect(receiver.accepted).toHaveLength(59)
    expect((await queueOf(db, partnerId))[0]).toMatchObject({ sequence: 1, state: 'failed' })
  }, patient)
})

test('a throttled endpoint delays no other, and a new URL is used immediately', async () => {
  const [slowed, other] = [
    await listen((_request, response) => void response.writeHead(429, { 'retry-after': '600' }).end()),
    await listen(),
  ]
  const partnerId = await makeReceivingPartner(db, { create: slowed.url, update: other.url })
  const id = makeId()
  send()
  await changeDeals(db, partnerId, [id])
  await vi.waitFor(async () => expect(await attemptsOf(partnerId)).toHaveLength(1), patient)
  await changeDeals(db, partnerId, [id])
  await vi.waitFor(() => expect(other.accepted).toHaveLength(1), patient)
  expect(slowed.requests).toHaveLength(1)
  await writeEndpoints(db, partnerId, { create: `${other.url}/new` })
  await vi.waitFor(() => expect(other.accepted).toHaveLength(2), patient)
  expect((await readEndpoints(db, partnerId))[0]).toMatchObject({ pausedUntil: null, slowedStatus: null })
})

test('two endpoints of a partner with the same URL are paused together', async () => {
  const receiver = await listen(
    (_request, response) => void response.writeHead(429, { 'retry-after': '600' }).end(),
  )
  const partnerId = await makeReceivingPartner(db, { create: receiver.url, update: receiver.url })
  send()
  await changeDeals(db, partnerId, [makeId()])
  await vi.waitFor(async () => expect(await attemptsOf(partnerId)).toHaveLength(1), patient)
  const endpoints = await readEndpoints(db, partnerId)
  for (const { pausedUntil } of endpoints)
    expect(pausedUntil!.getTime() - Date.now()).toBeGreaterThan(500_000)
})
