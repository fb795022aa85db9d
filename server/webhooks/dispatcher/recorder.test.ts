import { setImmediate } from 'node:timers/promises'
import pino from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { failure, outcomeOf, untilBlocked } from '#e2e/delivery-queue.ts'
import { openQueue } from '#e2e/dispatchers.ts'
import { writeEndpoints } from '../store.ts'
import { gatherMs, makeRecorder } from './recorder.ts'

const { db, makeIds, makePartner, change, lease, queue } = await openQueue()
afterEach(() => {
  vi.useRealTimers()
})

const url = 'https://a.example/'
const record = () => makeRecorder(db, { failingMs: 1e12, log: pino({ level: 'silent' }) })

async function leased(count: number) {
  const partnerId = await makePartner({ create: url, update: url })
  await change(partnerId, ...makeIds(count))
  return { partnerId, deliveries: await lease(partnerId, 'create', count) }
}

test('results that arrive a moment later join the batch', async () => {
  const { partnerId, deliveries } = await leased(2)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const recorder = record()
  const first = recorder.record(outcomeOf(deliveries[0]!))
  await setImmediate()
  const second = recorder.record(outcomeOf(deliveries[1]!))
  vi.advanceTimersByTime(gatherMs)
  await Promise.all([first, second])
  expect(
    await db.$client`
    select count(*)::integer as results, count(distinct attempts.xmin::text)::integer as transactions
    from attempts join deliveries on id = delivery_id where partner_id = ${partnerId}`,
  ).toEqual([{ results: 2, transactions: 1 }])
})

test.each([
  ['whose lease was lost is discarded', { lease: 99 }, 49],
  ['that cannot be stored is discarded', { signature: '\0' }, 49],
  ['whose response has a zero byte is stored without the byte', { responseBody: 'a\0b' }, 50],
  [
    'whose response ends in half a character is stored without the half',
    { responseHeaders: 'x: \ud83c' },
    50,
  ],
])('a result %s, and does not block others', async (_what, result, count) => {
  const { partnerId, deliveries } = await leased(50)
  const recorder = record()
  await Promise.all(
    deliveries.map((delivery, index) => recorder.record(outcomeOf(delivery, index === 7 ? result : {}))),
  )
  expect(await queue(partnerId, { state: 'delivered' })).toHaveLength(count)
})

test('a deadlock loses neither the result nor the response', async () => {
  const {
    partnerId,
    deliveries: [delivery],
  } = await leased(1)
  let recording: Promise<void> = Promise.resolve()
  await db.$client.begin(async (sql) => {
    // The recorder's timeout is shorter, so PostgreSQL ends the recorder's transaction.
    await sql`set local deadlock_timeout = '1min'`
    await sql`select from deliveries where partner_id = ${partnerId} for update`
    recording = record().record(
      outcomeOf(delivery!, { ...failure(60_000), responseBody: 'what was answered' }),
    )
    await untilBlocked(db)
    await sql`select from endpoints where partner_id = ${partnerId} for update`
  })
  await recording
  expect(await queue(partnerId)).toMatchObject([{ attemptCount: 1, step: 1 }])
  expect(
    await db.$client`select response_body as said from attempts where delivery_id = ${delivery!.id}`,
  ).toEqual([{ said: 'what was answered' }])
})

test('clearing a URL waits for a half-recorded batch, and both finish', async () => {
  const { partnerId, deliveries } = await leased(10)
  let both: Promise<unknown> = Promise.resolve()
  await db.$client.begin(async (sql) => {
    await sql`select from deliveries where id = ${deliveries.at(-1)!.id} for update`
    const recorder = record()
    // The recorder writes the first result alone and then the others together. The first result is a failure
    // that updates the endpoint.
    const recording = deliveries.map((delivery, index) =>
      recorder.record(outcomeOf(delivery, index === 0 ? {} : failure(60_000))),
    )
    await untilBlocked(db, 1)
    const clearing = writeEndpoints(db, partnerId, { create: null, update: null })
    clearing.catch(() => {})
    await untilBlocked(db, 2)
    both = Promise.all([...recording, clearing])
  })
  await both
  const rows = await queue(partnerId)
  expect(rows.map(({ state, attemptCount }) => [state, attemptCount])).toEqual(
    rows.map((_row, index) => [index === 0 ? 'delivered' : 'failed', 1]),
  )
})
