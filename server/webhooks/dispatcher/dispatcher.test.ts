import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { untilBlocked } from '#e2e/delivery-queue.ts'
import { closeAfterEach, dispatcherOn, encryptionKey, openQueue, patient } from '#e2e/dispatchers.ts'
import type { Received } from '#e2e/receiver.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { leaseTest } from '../queue-store.ts'
import { readSecrets, insertSecret } from '../secret-store.ts'
import { switchOn } from '../store.ts'

const { keep, listen } = closeAfterEach()
const { db, url, makeIds, makePartner, makePartnerAt, change, queue, untilQueued } = await openQueue()
afterEach(() => {
  vi.restoreAllMocks()
})

const send = (options: Parameters<typeof dispatcherOn>[1] = {}, on = db) => keep(dispatcherOn(on, options))
const untilDelivered = (partnerId: PartnerId, count: number) =>
  untilQueued(partnerId, count, { state: 'delivered' })
const signed = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>)
const secretOf = async (partnerId: PartnerId) => (await readSecrets(db, partnerId, encryptionKey))[0]!.secret

/** Returns a second pool of connections, which other tests do not share. */
function anotherPool() {
  const pool = openDatabase(url, 4)
  keep({ close: () => pool.$client.end({ timeout: 1 }) })
  return pool
}

describe('an event', () => {
  test('is sent as stored, signed, to the endpoint for its type', async () => {
    const receiver = await listen(() => 200)
    const partnerId = await makePartner({
      create: `${receiver.url}/new?a=b`,
      update: `${receiver.url}/changed`,
    })
    send()
    const [id] = makeIds(1)
    await change(partnerId, id!)
    await change(partnerId, id!)
    await untilDelivered(partnerId, 2)
    const secret = await secretOf(partnerId)
    const bodies = await db.$client<
      { body: string }[]
    >`select body from events where partner_id = ${partnerId} order by sequence`
    const requests = receiver.requests.toSorted((a, b) => a.sequence - b.sequence)
    expect(requests.map(({ body }) => body)).toEqual(bodies.map(({ body }) => body))
    expect(requests.map(({ path }) => path)).toEqual(['/new?a=b', '/changed'])
    for (const request of requests) {
      expect(signed(secret, request)).toEqual(JSON.parse(request.body))
      expect(request.headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(request.body)),
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
    await change(partnerId, ...makeIds(1))
    await untilDelivered(partnerId, 1)
    expect(new Set(receiver.requests.map(({ id }) => id)).size).toBe(1)
    for (const [index, gap] of gaps.entries()) {
      const waited = receiver.requests[index + 1]!.at - receiver.requests[index]!.at
      expect(waited).toBeGreaterThanOrEqual(0.8 * gap)
      expect(waited).toBeLessThanOrEqual(1.2 * gap)
    }
    const secret = await secretOf(partnerId)
    for (const request of receiver.requests) signed(secret, request)
    const times = receiver.requests.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(3)
    expect(
      new Set(receiver.requests.map(({ headers }) => headers['webhook-signature'])).size,
    ).toBeGreaterThan(2)
    const statuses =
      await db.$client`select number, status from attempts join deliveries on id = delivery_id where partner_id = ${partnerId} order by number`
    expect(statuses.map(({ status }) => status as number)).toEqual([500, 500, 500, 200])
  })

  test('is retried in time even while other requests to the endpoint hang', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const failing = makeIds(1)
    const receiver = await listen(({ dealId }) => (dealId === String(failing[0]) ? 500 : undefined))
    const partnerId = await makePartnerAt(receiver.url)
    send({ retry: { scheduleMs: [0, 1300, 1700, 60_000], throttleMs: 0 } })
    await change(partnerId, ...makeIds(5), ...failing)
    const ofFailing = () => receiver.requests.filter(({ dealId }) => dealId === String(failing[0]))
    await vi.waitFor(() => expect(ofFailing()).toHaveLength(3), patient)
    const [first, second, third] = ofFailing()
    expect(second!.at - first!.at).toBeLessThanOrEqual(1.2 * 1300)
    expect(third!.at - second!.at).toBeLessThanOrEqual(1.2 * 1700)
  })

  test('is signed with both secrets if it is in flight during a rotation', async () => {
    const receiver = await listen(() => 200)
    const partnerId = await makePartnerAt(receiver.url)
    const old = await secretOf(partnerId)
    send()
    await change(partnerId, ...makeIds(60))
    await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThan(0), patient)
    const [current] = (await insertSecret(db, partnerId, encryptionKey))!
    await change(partnerId, ...makeIds(60))
    await untilDelivered(partnerId, 120)
    for (const request of receiver.requests) {
      signed(old, request)
      if (request.sequence > 60) signed(current!.secret, request)
    }
    expect(() => signed(current!.secret, receiver.requests[0]!)).toThrow()
  })

  test('is sent as soon as the unreadable secrets of its partner are readable', async () => {
    const receiver = await listen(() => 200)
    const partnerId = await makePartnerAt(receiver.url)
    const { $client: sql } = db
    await sql`insert into webhook_secrets (partner_id, encrypted) values (${partnerId}, 'unreadable')`
    const failed = vi.fn<(error: object, message: string) => void>()
    send({ log: { info() {}, warn() {}, error: failed } as never, leaseMs: 60_000 })
    await change(partnerId, ...makeIds(1))
    await vi.waitFor(() => expect(failed).toHaveBeenCalled(), patient)
    expect(receiver.requests).toEqual([])
    await sql`delete from webhook_secrets where partner_id = ${partnerId}`
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), 5000)
  })

  test('past its retention is skipped', async () => {
    const receiver = await listen(() => 200)
    const partnerId = await makePartnerAt(receiver.url)
    await change(partnerId, ...makeIds(40))
    await db.$client`delete from events where partner_id = ${partnerId} and sequence <= 20`
    send()
    await untilDelivered(partnerId, 20)
    expect(receiver.requests.map(({ sequence }) => sequence).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 21),
    )
  })

  test('without a notification is found, and sent once its endpoint is enabled again', async () => {
    const receiver = await listen(() => 200)
    const partnerId = await makePartnerAt(receiver.url)
    await db.$client`update endpoints set switched_off_at = now(), switched_off_because = 'failing' where partner_id = ${partnerId}`
    send()
    await db.$client.unsafe('alter table events disable trigger enqueue_deliveries')
    await change(partnerId, ...makeIds(2))
    await db.$client.unsafe('alter table events enable trigger enqueue_deliveries')
    await db.$client`
      insert into deliveries (partner_id, kind, sequence, deal_id, due_at) select partner_id, 'create', sequence, deal_id, now() from events where partner_id = ${partnerId}`
    await sleep(1200)
    expect(receiver.requests).toEqual([])
    await switchOn(db, partnerId, 'create')
    await untilDelivered(partnerId, 2)
  })
})

describe('a worker', () => {
  test('renews the lease of a long request, which no other worker repeats', async () => {
    // Long enough to be renewed in time on a busy machine.
    const leaseMs = 2000
    const receiver = await listen(() => sleep(6000, 200))
    const partnerId = await makePartnerAt(receiver.url)
    send({ leaseMs })
    await change(partnerId, ...makeIds(1))
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), patient)
    send({ leaseMs }, anotherPool())
    await untilQueued(partnerId, 1, { state: 'delivered', lease: 1, attemptCount: 1 })
    expect(receiver.requests).toHaveLength(1)
  })

  test('sends a test once if the sender of the test was killed', async () => {
    const receiver = await listen(() => 500)
    const partnerId = await makePartnerAt(receiver.url)
    await leaseTest(db, { partnerId, kind: 'create' }, '{"test":true}', 50)
    send()
    await untilQueued(partnerId, 1, { state: 'failed', lease: 2, attemptCount: 1 })
    expect(receiver.requests).toHaveLength(1)
  })

  test('loses no event or result, and repeats no request, during database outages', async () => {
    const receiver = await listen(() => sleep(30, 200))
    const partnerId = await makePartnerAt(receiver.url)
    const killer = postgres(url, { max: 1 })
    keep({ close: () => killer.end() })
    const ids = makeIds(100)
    for (let round = 0; round < 3; round++) await change(partnerId, ...ids)
    // Leases for which the response was lost become due when they expire.
    send({ leaseMs: 3000 }, anotherPool())
    for (let round = 0; round < 12; round++) {
      const before = receiver.requests.length
      await vi.waitFor(
        () => expect(receiver.requests.length > before || receiver.requests.length === 300).toBe(true),
        patient,
      )
      await killer`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    }
    await vi.waitFor(async () => {
      const [row] = await killer`
        select count(*)::integer as delivered, (select count(*)::integer from attempts join deliveries on id = delivery_id where partner_id = ${partnerId}) as attempts
        from deliveries where partner_id = ${partnerId} and state = 'delivered' and attempt_count = 1`
      expect(row).toEqual({ delivered: 300, attempts: 300 })
    }, patient)
    expect(new Set(receiver.requests.map(({ id }) => id)).size).toBe(300)
    expect(receiver.requests).toHaveLength(300)
  })
})

describe('a stopped worker', () => {
  /** Returns a partner with new deals, and its receiver, which responds only when the test tells it to. */
  async function holding(count: number) {
    const { promise, resolve: letGo } = Promise.withResolvers<number>()
    const receiver = await listen(() => promise)
    const partnerId = await makePartnerAt(receiver.url)
    await change(partnerId, ...makeIds(count))
    return { receiver, partnerId, letGo: () => letGo(200) }
  }

  test('finishes running attempts, leases nothing more and leaves the rest due', async () => {
    const { receiver, partnerId, letGo } = await holding(40)
    const dispatcher = send()
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(16), patient)
    let stopped = false
    const stopping = dispatcher.stop(20_000).then(() => {
      stopped = true
    })
    await sleep(500)
    expect(stopped).toBe(false)
    letGo()
    await stopping
    expect(await queue(partnerId, { state: 'delivered' })).toHaveLength(16)
    expect(await queue(partnerId, { state: 'waiting', leased: false })).toHaveLength(24)
    await sleep(300)
    expect(receiver.requests).toHaveLength(16)
  })

  test('releases unfinished attempts, which another worker sends immediately', async () => {
    const { receiver, partnerId, letGo } = await holding(5)
    const other = await listen(() => 200)
    const dispatcher = send()
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(5), patient)
    await dispatcher.stop(100)
    for (const row of await queue(partnerId)) {
      expect(row).toMatchObject({ state: 'waiting', leased: false })
      expect(row.dueInMs).toBeLessThanOrEqual(0)
    }
    await db.$client`update endpoints set url = ${`${other.url}/`} where partner_id = ${partnerId}`
    // Shorter than the lease that would have blocked the delivery.
    send({ leaseMs: 600_000 })
    await vi.waitFor(() => expect(other.requests).toHaveLength(5), patient)
    letGo()
    await untilDelivered(partnerId, 5)
  })

  test.each([20_000, 0])(
    'sends nothing and releases the leases if stopped during a lease query: %i ms',
    async (graceMs) => {
      const { receiver, partnerId } = await holding(5)
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
      await untilQueued(partnerId, 5, { lease: 1, leased: false })
      expect(receiver.requests).toEqual([])
    },
  )
})

describe('idle endpoints', () => {
  test('are dropped from memory, and their next events are sent', async () => {
    const receiver = await listen(() => 200)
    const partnerIds = await Promise.all([1, 2, 3].map(() => makePartnerAt(receiver.url)))
    const dispatcher = send({ leaseMs: 600 })
    for (const round of [1, 2]) {
      for (const partnerId of partnerIds) await change(partnerId, ...makeIds(1))
      await vi.waitFor(() => expect(dispatcher.endpointCount()).toBeGreaterThan(0), patient)
      for (const partnerId of partnerIds) await untilDelivered(partnerId, round)
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
    await change(partnerOfDead, ...makeIds(200))
    const countByPath = () =>
      [...Map.groupBy(dead.requests, ({ path }) => path).values()].map((of) => of.length)
    await vi.waitFor(() => expect(countByPath()).toHaveLength(11), patient)
    await change(partnerOfLive, ...makeIds(200))
    await untilDelivered(partnerOfLive, 200)
    expect(Math.max(...countByPath())).toBe(16)
    expect(dead.requests.length).toBeLessThanOrEqual(64 + 10)
    expect(await queue(partnerOfDead, { attemptCount: 1 })).toEqual([])
  })
})
