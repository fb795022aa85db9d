import { describe, expect, test } from 'vitest'
import { failure, outcomeOf, untilBlocked } from '#e2e/delivery-queue.ts'
import { openQueue } from '#e2e/dispatchers.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { readEvents } from '../deals/event-store.ts'
import { deleteDeal } from '../deals/removal-store.ts'
import { ApiError } from '../errors.ts'
import { clearSuspended, setSuspended } from '../partners/store.ts'
import { readDelivery, readLog } from './log-store.ts'
import { type Leased, releaseLeases, renewLeases } from './queue-store.ts'
import { countResendable, resend, resendAllOf } from './resend-store.ts'
import { switchOn, writeEndpoints } from './store.ts'

// When a deal leaves a partner, its queued deliveries are withdrawn.

const { db, makeId, makePartner, change, lease: leaseAll, record: recordAll, queue } = await openQueue()

const hour = 60 * 60 * 1000
const addresses = { create: 'https://a.example/created', update: 'https://a.example/updated' }
const make = () => makePartner(addresses)
const lease = (partnerId: PartnerId, kind: 'create' | 'update' = 'create') => leaseAll(partnerId, kind, 1000)
const record = (leased: Leased[], result: Parameters<typeof outcomeOf>[1] = {}) =>
  recordAll(...leased.map((each) => outcomeOf(each, result)))
const move = (to: PartnerId | null, ids: bigint[], events = true) =>
  writeDeals(
    db,
    ids.map((id) => ({ record: { id }, partnerId: to })),
    { now: new Date(), events },
  )
const log = async (partnerId: PartnerId) =>
  (await readLog(db, partnerId, { limit: 100 }))
    .map(({ sequence, state, withdrawnBecause }) => [sequence, state, withdrawnBecause])
    .toReversed()

/**
 * Returns a partner with two deals, each of which was created and updated. All four deliveries are waiting.
 */
async function withQueue() {
  const [partnerId, deal, other] = [await make(), makeId(), makeId()]
  await change(partnerId, deal, other)
  await change(partnerId, deal, other)
  return { partnerId, deal, other }
}

test.each<[string, string, (deal: bigint) => Promise<unknown>]>([
  ['moves to another partner', 'moved', async (deal) => move(await make(), [deal])],
  ['moves without events', 'moved', async (deal) => move(await make(), [deal], false)],
  ['is taken from its partner', 'unassigned', (deal) => move(null, [deal])],
  ['is removed', 'removed', (deal) => deleteDeal(db, deal)],
])('a deal that %s withdraws its own deliveries; its history stays', async (_what, because, leave) => {
  const { partnerId, deal } = await withQueue()
  await leave(deal)
  expect(await log(partnerId)).toEqual([
    [1, 'failed', because],
    [2, 'waiting', null],
    [3, 'failed', because],
    [4, 'waiting', null],
  ])
  expect((await queue(partnerId, { dueInMs: null })).map(({ sequence }) => sequence)).toEqual([1, 3])
  expect((await lease(partnerId)).map(({ body }) => body)).toEqual([expect.stringContaining('"sequence":2')])
  // Includes the event of the removal, which is not sent to any URL.
  expect((await readEvents(db, partnerId, 0, 100)).bodies).toHaveLength(5)
})

test('deals of several partners are withdrawn in one batch', async () => {
  const [one, two] = [await withQueue(), await withQueue()]
  await move(await make(), [two.deal, one.deal, one.other])
  expect(await log(one.partnerId)).toEqual([1, 2, 3, 4].map((sequence) => [sequence, 'failed', 'moved']))
  expect(await queue(two.partnerId, { state: 'waiting' })).toMatchObject([{ sequence: 2 }, { sequence: 4 }])
})

test('a deal that returns gets new events, and withdrawn ones stay withdrawn', async () => {
  const { partnerId, deal } = await withQueue()
  await move(await make(), [deal])
  await move(partnerId, [deal])
  expect(await log(partnerId)).toEqual([
    [1, 'failed', 'moved'],
    [2, 'waiting', null],
    [3, 'failed', 'moved'],
    [4, 'waiting', null],
    [6, 'waiting', null],
  ])
})

describe('a withdrawn delivery cannot be resent', () => {
  /** Returns a partner that lost a deal with one delivered, one failed, and one waiting delivery. */
  async function withLost() {
    const [partnerId, deal] = [await make(), makeId()]
    await change(partnerId, deal)
    await record(await lease(partnerId))
    await change(partnerId, deal)
    await record(await lease(partnerId, 'update'), { ...failure(0), state: 'failed', waitMs: null })
    await change(partnerId, deal)
    await move(await make(), [deal])
    const ids = (await queue(partnerId)).map(({ id }) => id)
    return { partnerId, deal, ids }
  }
  const states = async (partnerId: PartnerId) => (await queue(partnerId)).map(({ state }) => state)
  const unsent = ['delivered', 'failed', 'failed']

  test('individually, by the partner or an operator', async () => {
    const { partnerId, ids } = await withLost()
    for (const id of ids) {
      await expect(resend(db, partnerId, id)).rejects.toThrow(
        new ApiError('BAD_REQUEST', 'Not resent: deal moved to another partner'),
      )
      await expect(resend(db, everyone, id)).rejects.toThrow(ApiError)
      expect(await resend(db, await make(), id)).toBe(false)
    }
    expect(await states(partnerId)).toEqual(unsent)
  })

  test('together with everything that failed', async () => {
    const { partnerId } = await withLost()
    expect(await countResendable(db, partnerId, {})).toBe(0)
    expect(await resendAllOf(db, everyone, {})).toBe(0)
    expect(await states(partnerId)).toEqual(unsent)
  })

  test('by setting the URL, enabling the endpoint, or resuming the partner', async () => {
    const { partnerId } = await withLost()
    await writeEndpoints(db, partnerId, { create: 'https://b.example/', update: 'https://b.example/' })
    await switchOn(db, partnerId, 'update')
    await writeEndpoints(db, partnerId, { update: null })
    await writeEndpoints(db, partnerId, addresses)
    await db.transaction((tx) => setSuspended(tx, partnerId))
    await db.transaction((tx) => clearSuspended(tx, partnerId))
    expect(await states(partnerId)).toEqual(unsent)
  })
})

describe('an attempt in progress when its delivery is withdrawn', () => {
  const delivered = {}
  test.each([
    ['failed', failure(hour), 500],
    ['delivered', delivered, 200],
  ])('is logged as %s, and not repeated', async (state, result, status) => {
    const { partnerId, deal } = await withQueue()
    const leased = await lease(partnerId)
    await move(await make(), [deal])
    await renewLeases(db, leased, 60_000)
    expect((await record(leased, result)).ids.size).toBe(2)
    expect((await log(partnerId)).slice(0, 2)).toEqual([
      [1, state, 'moved'],
      [2, result === delivered ? 'delivered' : 'retrying', null],
    ])
    expect(await readDelivery(db, partnerId, leased[0]!.id)).toMatchObject({
      dueAt: null,
      finishedAt: expect.any(Date) as Date,
      withdrawnBecause: 'moved',
      attempts: [{ status }],
    })
  })

  test('is recorded after a move that is about to commit, and still withdrawn', async () => {
    const { partnerId, deal } = await withQueue()
    const leased = await lease(partnerId)
    let recorded: Promise<unknown> = Promise.resolve()
    await db.$client.begin(async (sql) => {
      await sql`delete from deal_places where list_id = ${partnerId} and deal_id = ${String(deal)}`
      recorded = record(leased, failure(0))
      await untilBlocked(db)
    })
    await recorded
    expect((await log(partnerId))[0]).toEqual([1, 'failed', 'removed'])
  })

  test('stays withdrawn if released before sending', async () => {
    const { partnerId, deal } = await withQueue()
    const leased = await lease(partnerId)
    await move(await make(), [deal])
    await releaseLeases(db, leased)
    expect((await lease(partnerId)).map(({ id }) => id)).toEqual([leased[1]!.id])
  })
})

describe('a concurrent move and resend', () => {
  test('leave nothing to send, in either order', async () => {
    for (const isMoveFirst of [true, false]) {
      const { partnerId, deal, other } = await withQueue()
      await record(await lease(partnerId), { ...failure(0), state: 'failed', waitMs: null })
      const to = await make()
      let second: Promise<unknown> = Promise.resolve()
      await db.$client.begin(async (sql) => {
        if (isMoveFirst) {
          await sql`delete from deal_places where list_id = ${partnerId}`
          second = resendAllOf(db, partnerId, {})
        } else {
          // Locks the delivery as a resend does.
          await sql`update deliveries set state = 'waiting', due_at = now(), finished_at = null where partner_id = ${partnerId} and state = 'failed'`
          second = move(to, [deal, other])
        }
        await untilBlocked(db)
      })
      await second
      expect((await queue(partnerId)).map(({ state }) => state)).toEqual(Array(4).fill('failed'))
    }
  })
})

test('a move waits for attempts being recorded before it locks any delivery', async () => {
  const { partnerId, deal, other } = await withQueue()
  let moved: Promise<unknown> = Promise.resolve()
  await db.$client.begin(async (sql) => {
    // Locks the endpoints as recording does.
    await sql`select from endpoints where partner_id = ${partnerId} order by kind for no key update`
    await sql`update deliveries set step = 1 where partner_id = ${partnerId} and deal_id = ${String(other)}`
    moved = make().then((to) => move(to, [deal, other]))
    await untilBlocked(db)
    await sql`update deliveries set step = 1 where partner_id = ${partnerId} and deal_id = ${String(deal)}`
  })
  await moved
  expect((await log(partnerId)).every(([, state]) => state === 'failed')).toBe(true)
})

test('a move waits for URL changes before it locks any delivery', async () => {
  const { partnerId, deal } = await withQueue()
  let moved: Promise<unknown> = Promise.resolve()
  await db.$client.begin(async (sql) => {
    await sql`select from partners where id = ${partnerId} for update`
    moved = make().then((to) => move(to, [deal]))
    await untilBlocked(db)
    await sql`select from endpoints where partner_id = ${partnerId} order by kind for update`
  })
  await moved
  expect((await log(partnerId))[0]).toEqual([1, 'failed', 'moved'])
})
