import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { failure, outcomeOf } from '#e2e/delivery-queue.ts'
import { openQueue } from '#e2e/dispatchers.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { EndpointKind } from './delivery.ts'
import {
  type Leased,
  leaseDue,
  leaseTest,
  findPending,
  recordAttempts,
  releaseLeases,
  renewLeases,
} from './queue-store.ts'

const { db, url, makeId, makeIds, makePartner: make, change, record, queue } = await openQueue()
const pools = Array.from({ length: 5 }, () => openDatabase(url, 1))
afterAll(() => Promise.all(pools.map(({ $client }) => $client.end())))

const same = { create: 'https://a.example/', update: 'https://a.example/' }
const apart = { create: 'https://a.example/create', update: 'https://a.example/update' }
const long = 60_000
const lease = (
  partnerId: PartnerId,
  kind: EndpointKind,
  { limit = 100, own = [] as number[], leaseMs = long, on = db } = {},
) => leaseDue(on, { partnerId, kind }, limit, own, leaseMs)
const sequences = (leased: Leased[]) =>
  leased.map(({ body }) => (JSON.parse(body) as { sequence: number }).sequence).toSorted((a, b) => a - b)
const setDue = (partnerId: PartnerId, sequence: number, ms: number) => db.$client`
  update deliveries set due_at = now() + ${ms} * interval '1 millisecond' where partner_id = ${partnerId} and sequence = ${sequence}`

describe('leasing deliveries', () => {
  test('takes the oldest due deliveries of an endpoint first, up to its limit', async () => {
    const [partnerId, other] = [await make(apart), await make(apart)]
    await change(partnerId, ...makeIds(5))
    await change(other, makeId())
    await setDue(partnerId, 3, -5000)
    await setDue(partnerId, 5, 60_000)
    expect(await lease(partnerId, 'update')).toEqual([])
    expect(sequences(await lease(partnerId, 'create', { limit: 1 }))).toEqual([3])
    expect(sequences(await lease(partnerId, 'create', { limit: 2 }))).toEqual([1, 2])
    expect(sequences(await lease(partnerId, 'create', { limit: 16 }))).toEqual([4])
    expect(await lease(partnerId, 'create')).toEqual([])
    expect(await lease(other, 'create')).toHaveLength(1)
  })

  test('skips deliveries that this worker has already leased, even after expiry', async () => {
    const partnerId = await make(apart)
    await change(partnerId, makeId())
    const [leased] = await lease(partnerId, 'create', { leaseMs: -1 })
    expect(await lease(partnerId, 'create', { own: [leased!.id] })).toEqual([])
    expect(await lease(partnerId, 'create', { own: [leased!.id + 1] })).toMatchObject([
      { id: leased!.id, lease: 2 },
    ])
  })
})

describe('the deliveries of one deal', () => {
  test('are not leased behind a pending retry, however long they are due', async () => {
    const partnerId = await make(apart)
    const id = makeId()
    await change(partnerId, id)
    for (const _round of [1, 2]) await change(partnerId, id)
    const [first] = await lease(partnerId, 'update')
    await record(outcomeOf(first!, failure(60_000)))
    await setDue(partnerId, 3, -60_000)
    expect(await lease(partnerId, 'update')).toEqual([])
  })

  test('of both kinds form one sequence if both go to the same URL', async () => {
    const partnerId = await make(same)
    const id = makeId()
    await change(partnerId, id)
    await change(partnerId, id)
    expect(await lease(partnerId, 'update')).toEqual([])
    const [created] = await lease(partnerId, 'create')
    expect(await lease(partnerId, 'update')).toEqual([])
    await record(outcomeOf(created!))
    expect(sequences(await lease(partnerId, 'update'))).toEqual([2])
  })

  test.each([
    ['endpoints with different URLs', apart, async (partnerId: PartnerId) => partnerId],
    ['partners', same, () => make(same)],
  ])('of deals sent to different %s do not wait for each other', async (_what, urls, next) => {
    const from = await make(urls)
    const id = makeId()
    await change(from, id)
    const to = await next(from)
    await change(to, id)
    expect(await lease(to, to === from ? 'update' : 'create')).toHaveLength(1)
  })
})

describe('a valid lease', () => {
  test('excludes other workers until it ends, and results of earlier leases are then rejected', async () => {
    const partnerId = await make(apart)
    await change(partnerId, makeId())
    const [late] = await lease(partnerId, 'create', { leaseMs: 300 })
    expect(await lease(partnerId, 'create')).toEqual([])
    await sleep(310)
    const [fresh] = await lease(partnerId, 'create')
    expect(fresh).toMatchObject({ id: late!.id, lease: 2, messageId: late!.messageId })
    expect((await record(outcomeOf(late!))).ids.size).toBe(0)
    expect(await queue(partnerId)).toMatchObject([{ state: 'waiting', leased: true, attemptCount: 0 }])
    expect((await record(outcomeOf(fresh!))).ids).toEqual(new Set([fresh!.id]))
    expect(await queue(partnerId)).toMatchObject([{ state: 'delivered', leased: false, attemptCount: 1 }])
  })

  test('remains valid after expiry until another worker takes it over', async () => {
    const partnerId = await make(apart)
    await change(partnerId, makeId())
    const [late] = await lease(partnerId, 'create', { leaseMs: -1 })
    expect((await record(outcomeOf(late!))).ids.size).toBe(1)
  })

  test('is renewed only by its holder', async () => {
    const partnerId = await make(apart)
    await change(partnerId, makeId())
    const [former] = await lease(partnerId, 'create', { leaseMs: -1 })
    const [leased] = await lease(partnerId, 'create', { leaseMs: -1 })
    await renewLeases(db, [former!], long)
    expect(await queue(partnerId)).toMatchObject([{ leased: false }])
    await renewLeases(db, [former!, leased!], long)
    expect(await queue(partnerId)).toMatchObject([{ leased: true }])
    await record(outcomeOf(leased!, failure(1)))
    await renewLeases(db, [leased!], long)
    expect(await queue(partnerId)).toMatchObject([{ leased: false }])
  })

  test('leaves the delivery due as before when released without a result', async () => {
    const partnerId = await make(apart)
    await change(partnerId, makeId(), makeId())
    const [one, other] = await lease(partnerId, 'create')
    await releaseLeases(db, [one!, { ...other!, lease: 7 }])
    expect((await record(outcomeOf(one!))).ids.size).toBe(0)
    expect(await lease(partnerId, 'create')).toMatchObject([{ id: one!.id, lease: 2 }])
  })
})

describe('concurrent workers', () => {
  test('lease each delivery once and miss none, in order per deal, despite failures, delays and releases', async () => {
    const fate = fc.constantFrom('delivered', 'delivered', 'delivered', 'failed', 'late', 'given back')
    const runs = fc.record({
      addresses: fc.constantFrom(same, apart),
      deals: fc.integer({ min: 1, max: 6 }),
      rounds: fc.integer({ min: 1, max: 4 }),
      limit: fc.integer({ min: 1, max: 5 }),
      fates: fc.array(fate, { minLength: 30, maxLength: 30 }),
    })
    await fc.assert(
      fc.asyncProperty(runs, async ({ addresses, deals, rounds, limit, fates }) => {
        const partnerId = await make(addresses)
        const ids = makeIds(deals)
        for (let round = 0; round < rounds; round++) await change(partnerId, ...ids)
        const leasedIds = new Set<number>()
        const done: Leased[] = []
        const twice: number[] = []
        const left = [...fates]
        await Promise.all(
          pools.map(async (on, worker) => {
            for (let turn = 0; done.length < deals * rounds; turn++) {
              const leased = await lease(partnerId, (turn + worker) % 2 === 0 ? 'create' : 'update', {
                limit,
                on,
              })
              twice.push(...leased.filter(({ id }) => leasedIds.has(id)).map(({ id }) => id))
              for (const delivery of leased) leasedIds.add(delivery.id)
              for (const delivery of leased) {
                const next = left.pop() ?? 'delivered'
                leasedIds.delete(delivery.id)
                if (next === 'delivered') {
                  done.push(delivery)
                  await recordAttempts(on, [outcomeOf(delivery)], 1e9)
                } else if (next === 'failed') await recordAttempts(on, [outcomeOf(delivery, failure(1))], 1e9)
                else if (next === 'given back') await releaseLeases(on, [delivery])
                else await renewLeases(on, [delivery], -1)
              }
            }
          }),
        )
        expect(twice).toEqual([])
        expect(new Set(done.map(({ id }) => id)).size).toBe(deals * rounds)
        expect((await queue(partnerId)).every(({ state }) => state === 'delivered')).toBe(true)
        const chains = Map.groupBy(done, ({ url, body }) => `${url} ${/"id":(\d+)/.exec(body)![1]}`)
        for (const chain of chains.values())
          expect(chain.flatMap((each) => sequences([each]))).toEqual(sequences(chain))
      }),
      { numRuns: 12 },
    )
  })

  test('share one endpoint without waiting for each other', async () => {
    const partnerId = await make(apart)
    await change(partnerId, ...makeIds(60))
    let rest: Leased[] = []
    const first = await pools[0]!.transaction(async (tx) => {
      await tx.execute(`select from deliveries where partner_id = ${partnerId} and sequence <= 20 for update`)
      rest = await lease(partnerId, 'create')
      return sequences(rest)
    })
    expect(first).toEqual(Array.from({ length: 40 }, (_, index) => index + 21))
    expect(await lease(partnerId, 'create')).toHaveLength(20)
  })
})

test('a test is inserted as leased, is not part of the sequence, and blocks no other delivery', async () => {
  const partnerId = await make(apart)
  const id = makeId()
  await change(partnerId, id)
  const leased = await leaseTest(db, { partnerId, kind: 'create' }, '{"test":true}', long)
  expect(leased).toMatchObject({ url: apart.create, body: '{"test":true}', lease: 1, step: 1000 })
  expect(sequences(await lease(partnerId, 'create'))).toEqual([1])
  expect((await record(outcomeOf(leased!, { status: 410, state: 'failed' }))).switchedOff).toEqual([])
  expect(
    await leaseTest(db, { partnerId: await make({ update: apart.update }), kind: 'create' }, '{}', long),
  ).toBeUndefined()
})

describe('the pending work of workers', () => {
  const pendingOf = async (partnerId: PartnerId, withinMs = 1500) =>
    (await findPending(db, withinMs)).filter((each) => each.partnerId === partnerId)

  test('is reported per endpoint, with the next due time', async () => {
    const partnerId = await make(apart)
    expect(await pendingOf(partnerId)).toEqual([])
    await change(partnerId, makeId(), makeId(), makeId())
    await setDue(partnerId, 2, 60_000)
    await setDue(partnerId, 3, 90_000)
    expect(await pendingOf(partnerId)).toEqual([{ partnerId, kind: 'create', due: true, nextMs: null }])
    const [pending] = await pendingOf(partnerId, 100_000)
    expect(pending!.nextMs).toBeGreaterThan(0)
    expect(pending!.nextMs).toBeLessThanOrEqual(60_000)
    await db.$client`update endpoints set switched_off_at = now(), switched_off_because = 'gone' where partner_id = ${partnerId}`
    expect(await pendingOf(partnerId)).toEqual([])
  })

  test('is hidden by a lease until the lease expires, except deliveries due later', async () => {
    const partnerId = await make(apart)
    await change(partnerId, makeId(), makeId())
    await setDue(partnerId, 2, 60_000)
    await lease(partnerId, 'create', { leaseMs: -1 })
    expect(await pendingOf(partnerId)).toMatchObject([{ due: true }])
    await lease(partnerId, 'create')
    expect(await pendingOf(partnerId)).toEqual([])
    expect(await pendingOf(partnerId, 100_000)).toMatchObject([
      { due: false, nextMs: expect.any(Number) as number },
    ])
  })
})
