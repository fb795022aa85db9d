import { describe, expect, test, vi } from 'vitest'
import { changeDeals, makeReceivingPartner } from '#e2e/delivery-queue.ts'
import { closeAfterEach, dispatcherOn } from '#e2e/dispatchers.ts'
import { openQueue, patient } from '#e2e/queue-fixture.ts'
import type { PartnerId } from '../../accounts/partner.ts'

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

describe('a response', () => {
  test.each([302, 401, 503])('%i is a failure after which the schedule goes on', async (status) => {
    const receiver = await listen((_request, response) => void response.writeHead(status).end('no "ä"'))
    const attempt = await attemptAt(`${receiver.url}/`)
    expect(attempt).toMatchObject({ state: 'waiting', status, error: null, body: 'no "ä"' })
    expectWait(attempt, 8, 12)
  })

  test.each([200, 204])('%i is delivered', async (status) => {
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
  ])('%s', async (_what, status, retryAfter, least, most) => {
    const receiver = await listen(
      (_request, response) =>
        void response.writeHead(status, retryAfter === '' ? {} : { 'retry-after': retryAfter }).end(),
    )
    const attempt = await attemptAt(`${receiver.url}/`)
    expect(attempt).toMatchObject({ state: 'waiting', status, error: null })
    expectWait(attempt, least, most)
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
