import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { changeDeals, makeReceivingPartner, queueOf } from '#e2e/delivery-queue.ts'
import { closeAfterEach, dispatcherOn } from '#e2e/dispatchers.ts'
import { openQueue, patient } from '#e2e/queue-fixture.ts'
import { startReceiver } from '#e2e/receiver.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { readEndpoints } from '../store.ts'

// One fault of a receiver at a time, from the socket to the row.

const { keep, listen } = closeAfterEach()
const { db, makeId } = await openQueue()

// The second attempt is due after 8 to 12 seconds, beyond the end of every test.
const retry = { scheduleMs: [0, 10_000, 60_000], throttleMs: 60_000 }

const log = { info() {}, warn() {}, error() {} }

const send = (options: Parameters<typeof dispatcherOn>[1] = {}) =>
  keep(dispatcherOn(db, { retry, ...options }))

interface Attempt {
  state: string
  status: number | null
  error: string | null
  headers: string
  body: string
  durationMs: number
  /** Seconds from the end of the attempt to the next one; null if there is none. */
  waitS: number | null
}

/** Returns the attempts of all of a partner's deliveries, once there are this many. */
async function attemptsOf(partnerId: PartnerId, count = 1): Promise<Attempt[]> {
  return vi.waitFor(async () => {
    const rows = await db.$client<Attempt[]>`
      select state, status, error, response_headers as headers, response_body as body, duration_ms as "durationMs",
        (extract(epoch from due_at - started_at) - duration_ms / 1000.0)::float8 as "waitS"
      from attempts join deliveries on id = delivery_id where partner_id = ${partnerId} order by delivery_id, number`
    expect(rows).toHaveLength(count)
    return [...rows]
  }, patient)
}

/** Returns a partner with one event to this URL, and the resulting attempt. */
async function attemptAt(url: string, options: Parameters<typeof send>[0] = {}): Promise<Attempt> {
  const partnerId = await makeReceivingPartner(db, { create: url })
  const dispatcher = send(options)
  await changeDeals(db, partnerId, [makeId()])
  const [attempt] = await attemptsOf(partnerId)
  await dispatcher.close()
  expect(Buffer.byteLength(attempt!.headers + attempt!.body)).toBeLessThanOrEqual(16 * 1024)
  return attempt!
}

/** Returns the wait after it in seconds, with a tolerance of five for the time of recording. */
function expectWait({ waitS }: Attempt, least: number, most: number): void {
  expect(waitS).toBeGreaterThanOrEqual(least)
  expect(waitS).toBeLessThanOrEqual(most + 5)
}

const pouring = (response: ServerResponse, chunk: Buffer) => {
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', pour).on('error', () => {})
  pour()
}

describe('a response', () => {
  test.each([300, 301, 302, 303, 304, 307, 308])('%i is a failure, and is not followed', async (status) => {
    const elsewhere = await listen(() => 200)
    const receiver = await listen(
      (_request, response) => void response.writeHead(status, { location: `${elsewhere.url}/` }).end(),
    )
    const attempt = await attemptAt(`${receiver.url}/`)
    expect(attempt).toMatchObject({ state: 'waiting', status, error: null })
    expect(attempt.headers.toLowerCase()).toContain(`location: ${elsewhere.url}/`)
    expectWait(attempt, 8, 12)
    expect(elsewhere.requests).toEqual([])
  })

  test.each([400, 401, 404, 409, 500, 502, 503])(
    '%i is a failure after which the schedule goes on',
    async (status) => {
      const receiver = await listen((_request, response) => void response.writeHead(status).end('no "ä"'))
      const attempt = await attemptAt(`${receiver.url}/`)
      expect(attempt).toMatchObject({ state: 'waiting', status, error: null, body: 'no "ä"' })
      expectWait(attempt, 8, 12)
    },
  )

  test.each([200, 201, 202, 204, 299])('%i is delivered', async (status) => {
    const receiver = await listen(() => status)
    expect(await attemptAt(`${receiver.url}/`)).toMatchObject({
      state: 'delivered',
      status,
      error: null,
      waitS: null,
    })
  })

  test.each<[string, number, string, number, number]>([
    ['429 waits longer than planned', 429, '', 60, 60],
    ['429 with Retry-After waits for it', 429, '90', 90, 90],
    ['503 with Retry-After waits for it', 503, '16', 16, 16],
    ['Retry-After is capped', 503, '86400', 16, 24],
    ['nonsense in Retry-After is ignored', 503, 'soon', 8, 12],
  ])('%s', async (_what, status, retryAfter, least, most) => {
    const receiver = await listen(
      (_request, response) =>
        void response.writeHead(status, retryAfter === '' ? {} : { 'retry-after': retryAfter }).end(),
    )
    const attempt = await attemptAt(`${receiver.url}/`)
    expect(attempt).toMatchObject({ state: 'waiting', status, error: null })
    expectWait(attempt, least, most)
  })

  test('410 disables the endpoint at once and keeps its events', async () => {
    const receiver = await listen(() => 410)
    const partnerId = await makeReceivingPartner(db, { create: `${receiver.url}/` })
    send({ retry: { scheduleMs: [0, 50, 50, 50, 50], throttleMs: 0 } })
    await changeDeals(db, partnerId, [makeId()])
    expect(await attemptsOf(partnerId)).toMatchObject([{ state: 'waiting', status: 410 }])
    expect(await readEndpoints(db, partnerId)).toMatchObject([{ switchedOffBecause: 'gone' }])
    await changeDeals(db, partnerId, [makeId()])
    // Longer than the waits of the schedule and the pause between two polls.
    await new Promise((resolve) => {
      setTimeout(resolve, 1500)
    })
    expect(receiver.requests).toHaveLength(1)
    expect((await queueOf(db, partnerId)).map(({ state }) => state)).toEqual(['waiting', 'waiting'])
  })

  test('of a gzip bomb is stored compressed and truncated', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
    const receiver = await listen(
      (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    const attempt = await attemptAt(`${receiver.url}/`)
    expect(attempt).toMatchObject({ state: 'delivered', status: 200, error: null })
    expect(attempt.body.length).toBeGreaterThan(1000)
  })

  test('without an end is cut off after 16 KiB', async () => {
    const receiver = await listen((_request, response) =>
      pouring(response.writeHead(500), Buffer.alloc(4096, 'endless ')),
    )
    const attempt = await attemptAt(`${receiver.url}/`)
    expect(attempt).toMatchObject({ state: 'waiting', status: 500, error: null })
    expect(Buffer.byteLength(attempt.headers + attempt.body)).toBeGreaterThan(15 * 1024)
    expectWait(attempt, 8, 12)
  })
})

describe('without a timely response', () => {
  const timeoutMs = 700

  test('a timeout is reported, and waits longer', async () => {
    const receiver = await listen(() => {})
    const attempt = await attemptAt(`${receiver.url}/`, { timeoutMs })
    expect(attempt).toMatchObject({
      state: 'waiting',
      status: null,
      error: 'no complete answer within 700 ms',
      headers: '',
      body: '',
    })
    expect(attempt.durationMs).toBeGreaterThanOrEqual(timeoutMs - 10)
    expectWait(attempt, 60, 60)
  })

  test('a slow drip does not extend the timeout, and an incomplete 200 is not delivered', async () => {
    const receiver = await listen((_request, response) => {
      response.writeHead(200).write('x')
      const dripping = setInterval(() => response.write('x'), 100)
      response.on('close', () => clearInterval(dripping))
    })
    const attempt = await attemptAt(`${receiver.url}/`, { timeoutMs })
    expect(attempt).toMatchObject({
      state: 'waiting',
      status: 200,
      error: 'no complete answer within 700 ms',
    })
    expect(attempt.body).toMatch(/^x+$/)
    expectWait(attempt, 60, 60)
  })
})

test('a delivery whose secrets cannot be read is sent as soon as they can', async () => {
  const receiver = await listen(() => 200)
  const partnerId = await makeReceivingPartner(db, { create: receiver.url })
  const { $client: sql } = db
  await sql`insert into webhook_secrets (partner_id, encrypted) values (${partnerId}, 'unreadable')`
  const failed = vi.fn<(error: object, message: string) => void>()
  send({ log: { ...log, error: failed } as never, leaseMs: 60_000 })
  await changeDeals(db, partnerId, [makeId()])
  await vi.waitFor(() => expect(failed).toHaveBeenCalled(), patient)
  expect(receiver.requests).toEqual([])
  await sql`delete from webhook_secrets where partner_id = ${partnerId}`
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), 5000)
})

describe('without a connection', () => {
  test('a refused one continues the schedule', async () => {
    const { url, close } = await startReceiver(() => 200)
    await close()
    const attempt = await attemptAt(`${url}/`)
    expect(attempt).toMatchObject({ state: 'waiting', status: null, error: 'the connection was refused' })
    expectWait(attempt, 8, 12)
  })

  test('one cut off before or during the response is a failure', async () => {
    const before = await listen((_request, response) => void response.destroy())
    expect(await attemptAt(`${before.url}/`)).toMatchObject({
      state: 'waiting',
      status: null,
      error: 'the connection was closed before an answer came',
    })
    const amid = await listen((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy())
    })
    expect(await attemptAt(`${amid.url}/`)).toMatchObject({
      state: 'waiting',
      status: 200,
      error: 'the connection was closed before the answer was complete',
      body: 'half',
    })
  })

  test('a server with an invalid certificate is a failure', async () => {
    const receiver = await listen(() => 200, { key, cert: selfSigned })
    const attempt = await attemptAt(`${receiver.url}/`)
    expect(attempt).toMatchObject({
      state: 'waiting',
      status: null,
      error: expect.stringMatching(/^the certificate is not valid: /) as string,
    })
    expectWait(attempt, 8, 12)
    expect(receiver.requests).toEqual([])
  })

  test('so is a name that does not resolve, or resolves to an internal address later', async () => {
    const resolve = async (hostname: string) => {
      if (hostname === 'lost.example') throw new Error('ENOTFOUND')
      return answers.shift() ?? ['10.0.0.1']
    }
    expect(await attemptAt('http://lost.example/', { resolve })).toMatchObject({
      state: 'waiting',
      status: null,
      error: 'the name does not resolve',
    })
    const answers = [['127.0.0.1']]
    const receiver = await listen(
      (_request, response) => void response.writeHead(500, { connection: 'close' }).end(),
    )
    const partnerId = await makeReceivingPartner(db, { create: `http://rebound.example:${receiver.port}/` })
    send({ resolve, retry: { scheduleMs: [0, 50, 60_000], throttleMs: 0 } })
    await changeDeals(db, partnerId, [makeId()])
    expect(await attemptsOf(partnerId, 2)).toMatchObject([
      { status: 500, error: null },
      { status: null, error: 'the address leads outside the public internet' },
    ])
    expect(receiver.requests).toHaveLength(1)
  })

  test('so is a name with one internal address, or a disallowed literal', async () => {
    const receiver = await listen(() => 200)
    const resolve = async () => ['127.0.0.1', '169.254.169.254']
    const error = 'the address leads outside the public internet'
    expect(await attemptAt(`http://half.example:${receiver.port}/`, { resolve })).toMatchObject({
      state: 'waiting',
      status: null,
      error,
    })
    expect(await attemptAt('http://169.254.169.254/latest/meta-data')).toMatchObject({
      state: 'waiting',
      status: null,
      error,
    })
    expect(receiver.requests).toEqual([])
  })
})

// For an unused host name; embedded because not every machine has openssl.
const pem = (label: string, base64: string) =>
  `-----BEGIN ${label}-----\n${base64.match(/.{1,64}/g)!.join('\n')}\n-----END ${label}-----\n`
const key = pem(
  'PRIVATE KEY',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+Put7EUVoPqgNtPEIFGwKlVazkQmpxu5fJtMFD/F8Q6hRANCAARJTPs2F86Mv15pIsPR5Ssshgdi9liPqj5Di2MEk74LSSt7PgnElVNJYQ41DWCn+i83lrmLO8Xv5LtZqCJ0i4RF',
)
const selfSigned = pem(
  'CERTIFICATE',
  'MIIBcjCCARegAwIBAgIBBDAKBggqhkjOPQQDAjAdMRswGQYDVQQDDBJob29rcy5leGFtcGxlLnRlc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMB0xGzAZBgNVBAMMEmhvb2tzLmV4YW1wbGUudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABElM+zYXzoy/Xmkiw9HlKyyGB2L2WI+qPkOLYwSTvgtJK3s+CcSVU0lhDjUNYKf6LzeWuYs7xe/ku1moInSLhEWjRjBEMCMGA1UdEQQcMBqCEmhvb2tzLmV4YW1wbGUudGVzdIcEfwAAATAdBgNVHQ4EFgQUae5A+FAmadY8JkKKAyG6QCZbqtEwCgYIKoZIzj0EAwIDSQAwRgIhAKa6Nkc7nApmeC8Mgk3IZROuj/xjy9+uNnrp7E5WG8RZAiEAmz4EyHnkoOEkLsX7cBWb4MKfWPKSwXLcSaNMhp02M08=',
)
