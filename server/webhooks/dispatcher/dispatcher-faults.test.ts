import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { expect, test, vi } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { changeDeals, makeReceivingPartner } from '#e2e/delivery-queue.ts'
import { closeAfterEach, dispatcherOn } from '#e2e/dispatchers.ts'
import { openQueue, patient } from '#e2e/queue-fixture.ts'
import type { Answer } from '#e2e/receiver.ts'

// Tests one fault at a time, anywhere between the socket and the database row.

const { keep, listen } = closeAfterEach()
const { db, url: databaseUrl, makeId, makeIds, makePartnerAt } = await openQueue()

// The second attempt is due after 8 to 12 seconds, by which time every test has ended.
const retry = { scheduleMs: [0, 10_000, 60_000], throttleMs: 60_000 }
const timeoutMs = 700

const responding =
  (status: number, headers = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end('no "ä"')

test.each<[string, Answer, string, number | null, string | null, [number, number] | null]>([
  ['204', () => 204, 'delivered', 204, null, null],
  ['302', responding(302), 'waiting', 302, null, [8, 12]],
  ['503', responding(503), 'waiting', 503, null, [8, 12]],
  ['429', responding(429), 'waiting', 429, null, [60, 60]],
  ['503 with Retry-After', responding(503, { 'retry-after': '16' }), 'waiting', 503, null, [16, 16]],
  ['no response', () => {}, 'waiting', null, 'no complete answer within 700 ms', [60, 60]],
])(
  '%s is recorded, with the time of the next attempt',
  async (_what, answer, state, status, error, waitS) => {
    const receiver = await listen(answer)
    const partnerId = await makeReceivingPartner(db, { create: receiver.url })
    keep(dispatcherOn(db, { retry, timeoutMs }))
    await changeDeals(db, partnerId, [makeId()])
    const attempt = await vi.waitFor(async () => {
      // Time from the end of the attempt to the next attempt.
      const [row] = await db.$client<{ waitS: number | null; durationMs: number }[]>`
      select state, status, error, duration_ms as "durationMs",
        (extract(epoch from due_at - started_at) - duration_ms / 1000.0)::float8 as "waitS"
      from attempts join deliveries on id = delivery_id where partner_id = ${partnerId}`
      expect(row).toBeDefined()
      return row!
    }, patient)
    expect(attempt).toMatchObject({ state, status, error })
    if (error !== null) expect(attempt.durationMs).toBeGreaterThanOrEqual(timeoutMs - 10)
    if (waitS === null) return expect(attempt.waitS).toBeNull()
    expect(attempt.waitS).toBeGreaterThanOrEqual(waitS[0])
    // Recording takes up to five seconds on a busy machine.
    expect(attempt.waitS).toBeLessThanOrEqual(waitS[1] + 5)
  },
)

test('a delivery with unreadable secrets is sent as soon as the secrets are readable', async () => {
  const receiver = await listen(() => 200)
  const partnerId = await makeReceivingPartner(db, { create: receiver.url })
  const { $client: sql } = db
  await sql`insert into webhook_secrets (partner_id, encrypted) values (${partnerId}, 'unreadable')`
  const failed = vi.fn<(error: object, message: string) => void>()
  keep(dispatcherOn(db, { retry, log: { info() {}, warn() {}, error: failed } as never, leaseMs: 60_000 }))
  await changeDeals(db, partnerId, [makeId()])
  await vi.waitFor(() => expect(failed).toHaveBeenCalled(), patient)
  expect(receiver.requests).toEqual([])
  await sql`delete from webhook_secrets where partner_id = ${partnerId}`
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), 5000)
})

test('repeated database outages lose no event or result, and repeat no request', async () => {
  const receiver = await listen(async () => {
    await sleep(30)
    return 200
  })
  const partnerId = await makePartnerAt(receiver.url)
  const killer = postgres(databaseUrl, { max: 1 })
  keep({ close: () => killer.end() })
  const ids = makeIds(100)
  for (let round = 0; round < 3; round++) await changeDeals(db, partnerId, ids)
  const pool = openDatabase(databaseUrl, 4)
  keep({ close: () => pool.$client.end({ timeout: 1 }) })
  // Leases for which the response was lost become due when they expire.
  keep(dispatcherOn(pool, { leaseMs: 3000 }))
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
