import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { changeDeals, makeReceivingPartner, queueOf } from '#e2e/delivery-queue.ts'
import { closeAfterEach, dispatcherOn, encryptionKey } from '#e2e/dispatchers.ts'
import { openQueue, patient } from '#e2e/queue-fixture.ts'
import type { Received } from '#e2e/receiver.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { readSecrets, insertSecret } from '../endpoints/secret-store.ts'

const { keep, listen } = closeAfterEach()
const { db, makeIds, makePartnerAt } = await openQueue()
afterEach(() => {
  vi.restoreAllMocks()
})

const send = (options: Parameters<typeof dispatcherOn>[1] = {}, on = db) => keep(dispatcherOn(on, options))
const untilAll = (partnerId: PartnerId, state: string, count: number) =>
  vi.waitFor(async () => {
    const rows = await queueOf(db, partnerId)
    expect(rows).toHaveLength(count)
    expect(rows.filter((row) => row.state !== state)).toEqual([])
  }, patient)
const signed = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

describe('a dispatched event', () => {
  test('is sent as stored, signed, to the endpoint for its type', async () => {
    const receiver = await listen(() => 200)
    const partnerId = await makeReceivingPartner(db, {
      create: `${receiver.url}/new?a=b`,
      update: `${receiver.url}/changed`,
    })
    send()
    const [id] = makeIds(1)
    await changeDeals(db, partnerId, [id!])
    await changeDeals(db, partnerId, [id!])
    await untilAll(partnerId, 'delivered', 2)
    const { secret } = (await readSecrets(db, partnerId, encryptionKey))[0]!
    const bodies = await db.$client<
      { body: string }[]
    >`select body from events where partner_id = ${partnerId} order by sequence`
    const requests = receiver.requests.toSorted((a, b) => a.sequence - b.sequence)
    expect(requests.map(({ body }) => body)).toEqual(bodies.map(({ body }) => body))
    expect(requests.map(({ path }) => path)).toEqual(['/new?a=b', '/changed'])
    for (const each of requests) {
      expect(signed(secret, each)).toEqual(JSON.parse(each.body))
      expect(each.headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(each.body)),
      })
    }
    const rows = await db.$client<
      { url: string; signature: string; status: number; body: string; messageId: string }[]
    >`
      select attempt.url, signature, status, response_body as body, message_id as "messageId" from attempts attempt join deliveries on id = delivery_id
      where partner_id = ${partnerId} order by sequence`
    expect(rows).toEqual(
      requests.map(({ headers, path, id: messageId }) => ({
        url: `${receiver.url}${path}`,
        signature: headers['webhook-signature'],
        status: 200,
        body: 'taken',
        messageId,
      })),
    )
  })

  test('is retried after each delay following a failure, with the same id and a new signature', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const gaps = [900, 1400, 2000]
    const receiver = await listen(({ attempt }) => (attempt <= 3 ? 500 : 200))
    const partnerId = await makePartnerAt(receiver.url)
    send({ retry: { scheduleMs: [0, ...gaps, 60_000], throttleMs: 0 } })
    await changeDeals(db, partnerId, makeIds(1))
    await untilAll(partnerId, 'delivered', 1)
    expect(new Set(receiver.requests.map(({ id }) => id)).size).toBe(1)
    for (const [index, gap] of gaps.entries()) {
      const waited = receiver.requests[index + 1]!.at - receiver.requests[index]!.at
      expect(waited).toBeGreaterThanOrEqual(0.8 * gap)
      expect(waited).toBeLessThanOrEqual(1.2 * gap)
    }
    const { secret } = (await readSecrets(db, partnerId, encryptionKey))[0]!
    for (const each of receiver.requests) signed(secret, each)
    const times = receiver.requests.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(3)
    expect(
      new Set(receiver.requests.map(({ headers }) => headers['webhook-signature'])).size,
    ).toBeGreaterThan(2)
    const attempts =
      await db.$client`select number, status from attempts join deliveries on id = delivery_id where partner_id = ${partnerId} order by number`
    expect(attempts.map(({ number, status }) => [number, status] as unknown)).toEqual([
      [1, 500],
      [2, 500],
      [3, 500],
      [4, 200],
    ])
  })

  test('is retried in time even while other requests to the endpoint hang', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const failing = makeIds(1)
    const receiver = await listen(({ dealId }) => (BigInt(dealId) === failing[0] ? 500 : undefined))
    const partnerId = await makePartnerAt(receiver.url)
    send({ retry: { scheduleMs: [0, 1300, 1700, 60_000], throttleMs: 0 } })
    await changeDeals(db, partnerId, [...makeIds(5), ...failing])
    const ofFailing = () => receiver.requests.filter(({ dealId }) => BigInt(dealId) === failing[0])
    await vi.waitFor(() => expect(ofFailing()).toHaveLength(3), patient)
    const [first, second, third] = ofFailing()
    expect(second!.at - first!.at).toBeLessThanOrEqual(1.2 * 1300)
    expect(third!.at - second!.at).toBeLessThanOrEqual(1.2 * 1700)
  })

  test('is signed with both secrets if it is in flight during a rotation', async () => {
    const receiver = await listen(() => 200)
    const partnerId = await makePartnerAt(receiver.url)
    const [old] = await readSecrets(db, partnerId, encryptionKey)
    send()
    await changeDeals(db, partnerId, makeIds(60))
    await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThan(0), patient)
    const [current] = (await insertSecret(db, partnerId, encryptionKey))!
    await changeDeals(db, partnerId, makeIds(60))
    await untilAll(partnerId, 'delivered', 120)
    for (const each of receiver.requests) {
      signed(old!.secret, each)
      if (each.sequence > 60) signed(current!.secret, each)
    }
    expect(() => signed(current!.secret, receiver.requests[0]!)).toThrow()
  })
})

describe('idle endpoints', () => {
  test('are dropped from memory, and their next events are sent', async () => {
    const receiver = await listen(() => 200)
    const partnerIds = await Promise.all([1, 2, 3].map(() => makePartnerAt(receiver.url)))
    const dispatcher = send({ leaseMs: 600 })
    for (const round of [1, 2]) {
      for (const partnerId of partnerIds) await changeDeals(db, partnerId, makeIds(1))
      await vi.waitFor(() => expect(dispatcher.endpointCount()).toBeGreaterThan(0), patient)
      for (const partnerId of partnerIds) await untilAll(partnerId, 'delivered', round)
      await vi.waitFor(() => expect(dispatcher.endpointCount()).toBe(0), patient)
    }
  })

  test("do not wait for another partner's endpoints that never respond", async () => {
    const [dead, live] = [await listen(() => undefined), await listen(() => 200)]
    const [partnerOfDead, partnerOfLive] = [await makePartnerAt(dead.url), await makePartnerAt(live.url)]
    await db.$client`
      insert into endpoints (partner_id, kind, url, events)
      select ${partnerOfDead}, lpad(number::text, 12, '0'), ${dead.url} || '/' || number, '{deal.created}'
      from generate_series(1, 10) number`
    send()
    await changeDeals(db, partnerOfDead, makeIds(200))
    const countByPath = () =>
      [...Map.groupBy(dead.requests, ({ path }) => path).values()].map((of) => of.length)
    await vi.waitFor(() => expect(countByPath()).toHaveLength(11), patient)
    await changeDeals(db, partnerOfLive, makeIds(200))
    await untilAll(partnerOfLive, 'delivered', 200)
    expect(Math.max(...countByPath())).toBe(16)
    expect(dead.requests.length).toBeLessThanOrEqual(64 + 10)
    expect((await queueOf(db, partnerOfDead)).filter(({ attemptCount }) => attemptCount > 0)).toEqual([])
  })
})
