import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '#db/client.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { changeDeals, failure, makeReceivingPartner, outcomeOf, queueOf } from '#e2e/delivery-queue.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { EndpointKind } from './delivery.ts'
import { type EndpointName, leaseDue, listenToQueue, recordAttempts } from './dispatcher/queue-store.ts'
import { readEndpointUrls, readEndpoints, switchOn, writeEndpoints } from './store.ts'

let database: TestDatabase
let db: Database
let woken: string[] = []
const wake = ({ partnerId, kind }: EndpointName) => void woken.push(`${partnerId}:${kind}`)
let listener: ReturnType<typeof listenToQueue>
beforeAll(async () => {
  database = await createTestDatabase()
  db = database.db
  await new Promise<void>((ready) => (listener = listenToQueue(db, { wake, withdraw() {}, ready })))
})
afterAll(async () => {
  await listener.stop()
  await database.drop()
})

const [create, update, other] = [
  'https://a.example/created',
  'https://a.example/updated',
  'https://b.example/',
]
let lastId = 0n

/** Attempts each due delivery to a URL and returns the results. */
async function attempt(
  partnerId: PartnerId,
  kind: EndpointKind,
  result: Parameters<typeof outcomeOf>[1],
): Promise<number> {
  const leased = await leaseDue(db, { partnerId, kind }, 100, [], 60_000)
  await recordAttempts(
    db,
    leased.map((lease) => outcomeOf(lease, result)),
    1e9,
  )
  return leased.length
}

/** Returns a partner with an event for each of these URLs, both of which respond with 410. */
async function makeGone(addresses: { create: string; update: string }): Promise<PartnerId> {
  const partnerId = await makeReceivingPartner(db, addresses)
  const id = ++lastId
  await changeDeals(db, partnerId, [id, ++lastId])
  await attempt(partnerId, 'create', failure(3_600_000, 410))
  return partnerId
}

const health = async (partnerId: PartnerId) =>
  (await readEndpoints(db, partnerId)).map(({ kind, failingSince, switchedOffBecause }) => [
    kind,
    failingSince !== null,
    switchedOffBecause,
  ])
const waits = async (partnerId: PartnerId) =>
  (await queueOf(db, partnerId)).map(({ dueInMs }) => dueInMs! > 0)

describe('the URLs of a partner', () => {
  test('are empty at first; given URLs are set or cleared, and omitted URLs stay', async () => {
    const partnerId = await makeReceivingPartner(db)
    expect(await readEndpointUrls(db, partnerId)).toEqual({ create: null, update: null })
    expect(await writeEndpoints(db, partnerId, { create })).toEqual({ create, update: null })
    expect(await writeEndpoints(db, partnerId, { update })).toEqual({ create, update })
    expect(await writeEndpoints(db, partnerId, { create: other, update: null })).toEqual({
      create: other,
      update: null,
    })
    expect(await writeEndpoints(db, partnerId, {})).toEqual({ create: other, update: null })
    expect(await writeEndpoints(db, partnerId, { create: null, update: null })).toEqual({
      create: null,
      update: null,
    })
    expect(await readEndpoints(db, partnerId)).toEqual([])
  })

  test('affect only one partner', async () => {
    const [mine, theirs] = [
      await makeReceivingPartner(db, { create, update }),
      await makeReceivingPartner(db, { create }),
    ]
    await writeEndpoints(db, theirs, { create: null })
    expect(await readEndpointUrls(db, mine)).toEqual({ create, update })
    expect(await switchOn(db, theirs, 'create')).toBe(false)
    expect(await readEndpointUrls(db, theirs)).toEqual({ create: null, update: null })
  })

  test('of a suspended partner stay off', async () => {
    const partnerId = await makeReceivingPartner(db, { create })
    await db.$client`update endpoints set switched_off_at = now(), switched_off_because = 'suspended' where partner_id = ${partnerId}`
    await writeEndpoints(db, partnerId, { create: other, update })
    expect(await switchOn(db, partnerId, 'create')).toBe(true)
    expect(await health(partnerId)).toEqual([
      ['create', false, 'suspended'],
      ['update', false, null],
    ])
  })

  test('end as one of several concurrent changes, and each caller gets the state it stored', async () => {
    const partnerId = await makeReceivingPartner(db)
    const wanted = Array.from({ length: 12 }, (_, at) => ({
      create: at % 3 === 0 ? null : `https://a.example/${at}`,
      update: at % 4 === 0 ? null : `https://a.example/${at}`,
    }))
    expect(await Promise.all(wanted.map((addresses) => writeEndpoints(db, partnerId, addresses)))).toEqual(
      wanted,
    )
    expect(wanted).toContainEqual(await readEndpointUrls(db, partnerId))
  })

  test('are healthy and enabled after being set again, and waiting retries become due', async () => {
    const partnerId = await makeGone({ create, update })
    expect(await health(partnerId)).toEqual([
      ['create', true, 'gone'],
      ['update', false, null],
    ])
    expect(await waits(partnerId)).toEqual([true, true])
    expect(await leaseDue(db, { partnerId, kind: 'create' }, 10, [], 60_000)).toEqual([])
    woken = []
    await writeEndpoints(db, partnerId, { create: other })
    expect(await health(partnerId)).toEqual([
      ['create', false, null],
      ['update', false, null],
    ])
    await expect.poll(() => woken).toContain(`${partnerId}:create`)
    expect(
      (await leaseDue(db, { partnerId, kind: 'create' }, 10, [], 60_000)).map(({ url, step }) => [url, step]),
    ).toEqual([
      [other, 1],
      [other, 1],
    ])
  })
})

describe('enabling an endpoint', () => {
  test('makes it healthy and active, releases pending deliveries, and wakes the workers', async () => {
    const partnerId = await makeGone({ create, update })
    woken = []
    expect(await switchOn(db, partnerId, 'create')).toBe(true)
    expect(await health(partnerId)).toEqual([
      ['create', false, null],
      ['update', false, null],
    ])
    await expect.poll(() => woken).toContain(`${partnerId}:create`)
    expect(await waits(partnerId)).toEqual([false, false])
    expect(await attempt(partnerId, 'create', {})).toBe(2)
  })

  test('enables the other endpoint as well if both have the same URL', async () => {
    const same = await makeGone({ create, update: create })
    expect(await health(same)).toEqual([
      ['create', true, 'gone'],
      ['update', true, 'gone'],
    ])
    expect(await switchOn(db, same, 'update')).toBe(true)
    expect(await health(same)).toEqual([
      ['create', false, null],
      ['update', false, null],
    ])

    const apart = await makeGone({ create, update })
    expect(await switchOn(db, apart, 'update')).toBe(true)
    expect(await health(apart)).toEqual([
      ['create', true, 'gone'],
      ['update', false, null],
    ])
  })

  test('leaves an active endpoint unchanged, and fails if no URL is set', async () => {
    const partnerId = await makeReceivingPartner(db, { create })
    await changeDeals(db, partnerId, [++lastId])
    await attempt(partnerId, 'create', {})
    const before = await queueOf(db, partnerId)
    expect(await switchOn(db, partnerId, 'create')).toBe(true)
    expect(await queueOf(db, partnerId)).toEqual(before)
    expect(await switchOn(db, partnerId, 'update')).toBe(false)
    expect(await readEndpointUrls(db, partnerId)).toEqual({ create, update: null })
  })
})
