import postgres from 'postgres'
import { afterAll, expect, test } from 'vitest'
import type { Database } from '#db/client.ts'
import { encryptionKey, openQueue } from '#e2e/dispatchers.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { removeOldEvents } from '../deals/removal-store.ts'
import { removeExpiredSecrets, removeOldAttempts, removeOldDeliveries } from './retention-store.ts'
import { readSecrets, insertSecret } from './secret-store.ts'

const { db, url, makePartner } = await openQueue()
let runs = 0
const counted = {
  $client: postgres(url, { max: 1, fetch_types: false, debug: () => void runs++ }),
} as Database
afterAll(() => counted.$client.end())

/**
 * Returns a partner with this many events, deliveries, and attempts. The first `old` are this many days and
 * one hour old.
 */
async function fill(count: number, old: number, days: number): Promise<PartnerId> {
  const partnerId = await makePartner({ update: 'https://a.example/' })
  await db.$client.unsafe(`
    insert into events (partner_id, sequence, type, deal_id, created_at, body)
      select ${partnerId}, n, 'deal.updated', n, now() - case when n <= ${old} then interval '${days} days 1 hour' else interval '${days} days' - interval '1 hour' end, '{}'
      from generate_series(1, ${count}) n;
    update deliveries set state = 'delivered', due_at = null, created_at = event.created_at from events event
      where deliveries.partner_id = ${partnerId} and event.partner_id = ${partnerId} and event.sequence = deliveries.sequence;
    insert into attempts (delivery_id, number, started_at, duration_ms, url, signature, status, response_headers, response_body)
      select id, 1, created_at, 5, 'https://a.example/', 'v1,x', 200, '', 'ok' from deliveries where partner_id = ${partnerId}`)
  return partnerId
}

async function countOf(partnerId: PartnerId) {
  const [row] = await db.$client<[{ events: number; first: number; deliveries: number; attempts: number }]>`
    select (select count(*)::integer from events where partner_id = ${partnerId}) as events, (select min(sequence)::integer from events where partner_id = ${partnerId}) as first,
      (select count(*)::integer from deliveries where partner_id = ${partnerId}) as deliveries,
      (select count(*)::integer from attempts join deliveries on id = delivery_id where partner_id = ${partnerId}) as attempts`
  return row
}

const removals = {
  events: (partnerId: PartnerId) => removeOldEvents(counted, partnerId, 90),
  deliveries: (partnerId: PartnerId) => removeOldDeliveries(counted, partnerId, 90),
  attempts: () => removeOldAttempts(counted, 90),
}

test.each([
  ['events', 0, 1],
  ['events', 1, 1],
  ['events', 999, 1],
  ['events', 1000, 2],
  ['events', 2500, 3],
  ['deliveries', 0, 1],
  ['deliveries', 2500, 3],
  ['attempts', 2500, 3],
] as const)('removes old %s, %i in %i small steps, and keeps recent ones', async (what, old, steps) => {
  await db.$client`delete from attempts`
  const partnerId = await fill(3000, old, 90)
  const neighbour = what === 'attempts' ? null : await fill(20, 10, 90)
  runs = 0
  expect(await removals[what](partnerId)).toBe(old)
  expect(runs).toBe(steps)
  const left = 3000 - old
  expect(await countOf(partnerId)).toEqual({
    events: what === 'events' ? left : 3000,
    first: what === 'events' ? old + 1 : 1,
    deliveries: what === 'deliveries' ? left : 3000,
    attempts: what === 'events' ? 3000 : left,
  })
  if (neighbour !== null) expect(await countOf(neighbour)).toMatchObject({ events: 20, deliveries: 20 })
})

test('a clock that was set back creates no gap: events are removed only up to the first one to keep', async () => {
  const partnerId = await fill(20, 10, 90)
  await db.$client`update events set created_at = now() where partner_id = ${partnerId} and sequence = 6`
  expect(await removeOldEvents(db, partnerId, 90)).toBe(5)
  expect(await countOf(partnerId)).toMatchObject({ events: 15, first: 6 })
  expect(await removeOldEvents(db, partnerId, 90)).toBe(0)
})

test('a stopped removal ends after its current batch', async () => {
  const partnerId = await fill(4000, 3500, 90)
  const times: number[] = []
  const rest = async (tookMs: number) => {
    times.push(tookMs)
    return times.length % 2 === 1
  }
  expect(await removeOldEvents(db, partnerId, 90, rest)).toBe(2000)
  expect(await removeOldDeliveries(db, partnerId, 90, rest)).toBe(2000)
  expect(await countOf(partnerId)).toMatchObject({ events: 2000, deliveries: 2000 })
  expect(times).toHaveLength(4)
  expect(times.every((ms) => ms > 0)).toBe(true)
  // The next run resumes where the previous one ended.
  expect(await removeOldEvents(db, partnerId, 90)).toBe(1500)
  expect(await removeOldDeliveries(db, partnerId, 90)).toBe(1500)
})

test('two concurrent removals remove each row once, and neither fails', async () => {
  const partnerId = await fill(4000, 3500, 90)
  const removed = await Promise.all([1, 2, 3].map(() => removeOldDeliveries(db, partnerId, 90)))
  expect(removed.reduce((sum, count) => sum + count)).toBe(3500)
  expect(await countOf(partnerId)).toMatchObject({ deliveries: 500 })
})

test('removes secrets that are no longer used for signing', async () => {
  const partnerId = await makePartner()
  const [first] = await readSecrets(db, partnerId, encryptionKey)
  await insertSecret(db, partnerId, encryptionKey)
  expect(await removeExpiredSecrets(db)).toBe(0)
  await db.$client`update webhook_secrets set expires_at = now() - interval '1 second' where expires_at is not null`
  const [current, ...more] = await readSecrets(db, partnerId, encryptionKey)
  expect(more).toEqual([])
  expect(current!.secret).not.toBe(first!.secret)
  expect(await removeExpiredSecrets(db)).toBe(1)
  expect(await readSecrets(db, partnerId, encryptionKey)).toEqual([current])
})
