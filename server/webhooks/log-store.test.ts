import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failure, outcomeOf } from '#e2e/delivery-queue.ts'
import { openQueue } from '#e2e/dispatchers.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { readEvents } from '../deals/event-store.ts'
import { type LogFilter, findSearched, readDelivery, readLog } from './log-store.ts'
import { leaseTest } from './queue-store.ts'
import { type ResendFilter, countResendable, resend, resendAllOf } from './resend-store.ts'
import { writeEndpoints } from './store.ts'

const failedSince = (since: Date) => ({ states: ['failed'] as const, since })

const { db, makeId, makeIds, makePartner, change, lease, record, queue } = await openQueue()

const [create, update] = ['https://a.example/created', 'https://a.example/updated']
const epoch = new Date(0)
const make = () => makePartner({ create: create!, update: update! })

const read = (partnerId: PartnerId, filter: Partial<LogFilter> = {}) =>
  readLog(db, partnerId, { limit: 100, ...filter })
const sequences = async (partnerId: PartnerId, filter?: Partial<LogFilter>) =>
  (await read(partnerId, filter)).map(({ sequence }) => sequence)

/** Attempts each due delivery to a URL once. */
async function attemptAll(
  partnerId: PartnerId,
  kind: 'create' | 'update',
  result: Parameters<typeof outcomeOf>[1] = {},
) {
  const leased = await lease(partnerId, kind, 1000)
  await record(...leased.map((each) => outcomeOf(each, result)))
  return leased
}
const failed = { state: 'failed', waitMs: null, status: 500 } as const

/** Resends the deliveries that match, which were counted before. Returns their number. */
async function resendCounted(tenant: TenantScope, filter: ResendFilter): Promise<number> {
  const counted = await countResendable(db, tenant, filter)
  expect(await resendAllOf(db, tenant, filter)).toBe(counted)
  expect(await countResendable(db, tenant, filter)).toBe(0)
  return counted
}

/**
 * Returns a partner with a delivered, a failed, and a waiting delivery, in this order, for three different
 * deals.
 */
async function makeThree() {
  const partnerId = await make()
  const deals = [makeId(), makeId(), makeId()]
  await change(partnerId, deals[0]!)
  await attemptAll(partnerId, 'create')
  await change(partnerId, deals[1]!)
  await attemptAll(partnerId, 'create', failed)
  await change(partnerId, deals[2]!)
  const ids = (await queue(partnerId)).map(({ id }) => id) as [number, number, number]
  return { partnerId, deals, ids }
}

describe('deliveries of all partners', () => {
  const newest = new Date('2100-01-01T00:00:00Z')

  test('form one list, newest first, in pages; each delivery can be found and resent', async () => {
    const [one, other] = [await makeThree(), await makeThree()]
    const ids = [one.ids, other.ids].flat()
    // Makes these deliveries newer than those of other tests, alternating between the two partners.
    for (const [index, id] of ids.entries())
      await db.$client`update deliveries set created_at = ${newest.toISOString()}::timestamptz + ${(index % 3) * 2 + Math.floor(index / 3)} * interval '1 minute' where id = ${id}`
    const expected = [other.ids[2], one.ids[2], other.ids[1], one.ids[1], other.ids[0], one.ids[0]]
    expect((await readLog(db, everyone, { limit: 6 })).map(({ id }) => id)).toEqual(expected)
    expect((await readLog(db, everyone, { limit: 2, behind: expected[1] })).map(({ id }) => id)).toEqual(
      expected.slice(2, 4),
    )
    expect(
      (await readLog(db, everyone, { limit: 10, state: 'failed', since: newest })).map(({ id }) => id),
    ).toEqual([other.ids[1], one.ids[1]])
    expect(await readDelivery(db, everyone, one.ids[1])).toMatchObject({ id: one.ids[1], state: 'failed' })
    expect(await readDelivery(db, other.partnerId, one.ids[1])).toBeUndefined()
    expect(await resendCounted(everyone, failedSince(newest))).toBe(2)
  })
})

describe('the delivery log', () => {
  test('is sorted newest first, and filtered by endpoint, state, deal and time, alone or combined', async () => {
    const { partnerId, deals } = await makeThree()
    await change(partnerId, deals[0]!)
    await db.$client`update deliveries set created_at = timestamptz '2026-03-01T12:00:00Z' + sequence * interval '1 minute' where partner_id = ${partnerId}`
    const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute))
    const combined = { kind: 'create', state: 'waiting', dealId: deals[2]!, since: at(3) } as const
    for (const [filter, expected] of [
      [{}, [4, 3, 2, 1]],
      [{ kind: 'create' }, [3, 2, 1]],
      [{ kind: 'update' }, [4]],
      [{ state: 'delivered' }, [1]],
      [{ state: 'failed' }, [2]],
      [{ state: 'waiting' }, [4, 3]],
      [{ dealId: deals[0]! }, [4, 1]],
      [{ dealId: 2n ** 63n - 1n }, []],
      [{ since: at(2) }, [4, 3, 2]],
      [combined, [3]],
      [{ limit: 2 }, [4, 3]],
    ] as const)
      expect(await sequences(partnerId, filter)).toEqual(expected)
  })

  test('can be searched by homeowner, deal id and status of the last response', async () => {
    const { partnerId, deals } = await makeThree()
    await writeDeals(
      db,
      [{ record: { id: deals[1]!, dealname: 'Gutiérrez, Maribel - 7.2 kW' }, partnerId }],
      { now: new Date(), events: true },
    )
    const found = async (text: string, filter: Partial<LogFilter> = {}) =>
      sequences(partnerId, { ...filter, search: await findSearched(db, partnerId, text) })
    expect(await found(' ')).toEqual([4, 3, 2, 1])
    expect(await found('gutierrez')).toEqual([4, 2])
    expect(await found('gutierrez', { state: 'failed' })).toEqual([2])
    expect(await found('Nobody')).toEqual([])
    expect(await found(` ${deals[0]} `)).toEqual([1])
    for (const [text, search] of [
      ['204', { status: 204, dealIds: [204n] }],
      ['600', { status: null, dealIds: [600n] }],
      ['9223372036854775807', { status: null, dealIds: [2n ** 63n - 1n] }],
      ['9223372036854775808', { status: null, dealIds: [] }],
    ] as const)
      expect(await findSearched(db, partnerId, text)).toEqual(search)
    expect(await found('500')).toEqual([2])
    expect(await found('503')).toEqual([])
    expect(await found('200')).toEqual([1])
    // A delivery from before the status was stored with the delivery.
    await db.$client`update deliveries set last_status = null where partner_id = ${partnerId} and sequence = 1`
    expect(await found('200')).toEqual([1])
    // Makes a number that matches both a deal and a status.
    await db.$client`update deliveries set deal_id = 500 where partner_id = ${partnerId} and sequence in (2, 3)`
    expect(await found('500')).toEqual([3, 2])
    expect(await found('500', { limit: 1 })).toEqual([3])
    const meant = { states: ['failed'] as const, search: await findSearched(db, partnerId, '500') }
    expect(await resendCounted(partnerId, meant)).toBe(1)
  })

  test('shows a failed delivery with another planned attempt as retrying, which can be counted and resent', async () => {
    const { partnerId, deals, ids } = await makeThree()
    await attemptAll(partnerId, 'create', failure(0, 503))
    await attemptAll(partnerId, 'create', failure(3_600_000, null))
    expect((await read(partnerId))[0]).toMatchObject({
      state: 'retrying',
      lastStatus: null,
      attemptCount: 2,
    })
    expect(await readDelivery(db, partnerId, ids[2])).toMatchObject({ state: 'retrying' })
    expect(await sequences(partnerId, { state: 'retrying' })).toEqual([3])
    expect(await sequences(partnerId, { state: 'waiting' })).toEqual([])
    const both = { states: ['failed', 'retrying'] as const }
    for (const [filter, count] of [
      [{ states: ['retrying'] }, 1],
      [{ ...both, kind: 'update' }, 0],
      [{ ...both, since: new Date('9999-01-01') }, 0],
    ] as const)
      expect(await countResendable(db, partnerId, filter)).toBe(count)
    expect(await resendCounted(partnerId, both)).toBe(2)
    expect(await queue(partnerId, { state: 'waiting', step: 0 })).toMatchObject([
      { sequence: 2 },
      { sequence: 3, dealId: String(deals[2]) },
    ])
    expect((await read(partnerId))[0]).toMatchObject({ state: 'waiting', attemptCount: 2 })
  })

  test('shows nothing of another partner, even with a cursor from another partner', async () => {
    const { ids } = await makeThree()
    const other = await makeThree()
    const stranger = await make()
    expect(await read(stranger)).toEqual([])
    expect(await read(other.partnerId, { behind: ids[2] })).toEqual([])
    expect(await read(other.partnerId, { behind: Number.MAX_SAFE_INTEGER })).toEqual([])
    for (const id of [ids[0], Number.MAX_SAFE_INTEGER])
      expect(await readDelivery(db, stranger, id)).toBeUndefined()
  })

  test('is paged without gaps or repeats, even for equal times', async () => {
    const partnerId = await make()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (moments, limit) => {
          await db.$client`delete from deliveries where partner_id = ${partnerId}`
          // The times are one microsecond apart, which a JavaScript date cannot represent.
          await db.$client`
        insert into deliveries (partner_id, kind, test_body, due_at, created_at)
        select ${partnerId}, 'create', '{}', now(), timestamptz '2026-03-01T12:00:00.123Z' + moment * interval '1 microsecond' from unnest(${moments}::integer[]) moment`
          const walked: number[] = []
          for (let behind: number | undefined; ;) {
            const page = await read(partnerId, { limit, behind })
            walked.push(...page.map(({ id }) => id))
            if (page.length < limit) break
            behind = page.at(-1)!.id
          }
          const all = await db.$client<
            { id: number }[]
          >`select id::float8 from deliveries where partner_id = ${partnerId} order by created_at desc, id desc`
          expect(walked).toEqual(all.map(({ id }) => id))
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('a delivery in the log', () => {
  test('has the exact body that is sent, and each attempt in order', async () => {
    const partnerId = await make()
    const dealId = makeId()
    await change(partnerId, dealId)
    const [first] = await attemptAll(partnerId, 'create', {
      ...failure(0, null),
      error: 'the connection was refused',
    })
    const response = { responseHeaders: 'Content-Type: text/plain', responseBody: 'thanks' }
    await attemptAll(partnerId, 'create', { signature: 'v1,second', ...response })
    const delivery = (await readDelivery(db, partnerId, first!.id))!
    const { bodies } = await readEvents(db, partnerId, 0, 10)
    expect([delivery.body, first!.body]).toEqual([bodies[0], bodies[0]])
    const [listed] = await read(partnerId)
    expect(listed).toEqual({
      id: first!.id,
      messageId: first!.messageId,
      kind: 'create',
      endpointName: null,
      type: null,
      sequence: 1,
      dealId,
      state: 'delivered',
      lastStatus: null,
      dueAt: null,
      attemptCount: 2,
      createdAt: expect.any(Date),
      finishedAt: expect.any(Date),
      withdrawnBecause: null,
      partner: { slug: expect.any(String), name: 'A partner' },
    })
    expect(delivery).toMatchObject(listed!)
    expect(delivery.attempts).toMatchObject([
      { number: 1, url: create, status: null, error: 'the connection was refused' },
      { number: 2, status: 200, error: null, durationMs: 12, signature: 'v1,second', ...response },
    ])
  })

  test("has the test's body if it is a test, and no attempts once they have expired", async () => {
    const partnerId = await make()
    const leased = (await leaseTest(db, { partnerId, kind: 'update' }, '{"test":true}', 60_000))!
    expect(await readDelivery(db, partnerId, leased.id)).toMatchObject({
      body: '{"test":true}',
      sequence: null,
      dealId: null,
      attempts: [],
    })
  })
})

describe('resending deliveries', () => {
  test('restarts the schedule of delivered, failed and waiting deliveries', async () => {
    const { partnerId, ids } = await makeThree()
    await attemptAll(partnerId, 'create', failure(3_600_000))
    for (const id of ids) expect(await resend(db, partnerId, id)).toBe(true)
    expect(await read(partnerId)).toMatchObject(
      Array(3).fill({ state: 'waiting', attemptCount: 1, finishedAt: null }),
    )
    const resent = await queue(partnerId, { step: 0, leased: false })
    expect(resent).toHaveLength(3)
    for (const { dueInMs } of resent) expect(dueInMs).toBeLessThanOrEqual(0)
    const messageIds = (await read(partnerId)).map(({ messageId }) => messageId)
    const leased = await attemptAll(partnerId, 'create')
    expect(leased.map(({ messageId }) => messageId).toSorted()).toEqual(messageIds.toSorted())
    expect(await read(partnerId)).toMatchObject(Array(3).fill({ state: 'delivered', attemptCount: 2 }))
    expect(
      (await readDelivery(db, partnerId, ids[1]))!.attempts.map(({ number, status }) => [number, status]),
    ).toEqual([
      [1, 500],
      [2, 200],
    ])
  })

  test("leaves a running attempt to its worker, and the attempt's result counts", async () => {
    const partnerId = await make()
    await change(partnerId, makeId())
    const [leased] = await lease(partnerId, 'create')
    expect(await resend(db, partnerId, leased!.id)).toBe(true)
    expect(await lease(partnerId, 'create')).toEqual([])
    await record(outcomeOf(leased!))
    expect(await read(partnerId)).toMatchObject([{ state: 'delivered', attemptCount: 1 }])
    expect(await lease(partnerId, 'create')).toEqual([])
  })

  test('is rejected for tests, cleared URLs, and deliveries of another partner', async () => {
    const { partnerId, ids } = await makeThree()
    const test = (await leaseTest(db, { partnerId, kind: 'create' }, '{}', 60_000))!
    await record(outcomeOf(test, failed))
    expect(await resend(db, partnerId, test.id)).toBe(false)
    expect(await countResendable(db, partnerId, failedSince(epoch))).toBe(1)
    const rows = () => db.$client`select * from deliveries where partner_id = ${partnerId} order by id`
    const before = await rows()
    const other = await make()
    for (const id of [...ids, test.id]) expect(await resend(db, other, id)).toBe(false)
    expect(await resendCounted(other, failedSince(epoch))).toBe(0)
    expect(await rows()).toEqual(before)

    await writeEndpoints(db, partnerId, { create: null })
    const cleared = await rows()
    for (const id of ids) expect(await resend(db, partnerId, id)).toBe(false)
    expect(await resendCounted(partnerId, failedSince(epoch))).toBe(0)
    expect(await rows()).toEqual(cleared)
  })

  test('covers exactly the failed deliveries that were counted, and no later ones', async () => {
    const { partnerId, ids } = await makeThree()
    await change(partnerId, makeId(), makeId())
    await attemptAll(partnerId, 'create', failed)
    await db.$client`update deliveries set created_at = timestamptz '2026-03-01T12:00:00Z' + sequence * interval '1 minute' where partner_id = ${partnerId}`
    // The second to fifth deliveries, all of which failed.
    for (const [minute, count] of [
      [6, 0],
      [5, 1],
      [3, 3],
      [0, 4],
    ] as const) {
      const since = new Date(Date.UTC(2026, 2, 1, 12, minute))
      await resendCounted(partnerId, failedSince(since))
      expect(await sequences(partnerId, { state: 'waiting' })).toHaveLength(count)
    }
    expect(await sequences(partnerId, { state: 'failed' })).toEqual([])
    expect(await read(partnerId, { state: 'delivered' })).toMatchObject([{ id: ids[0], attemptCount: 1 }])
  })

  test('covers more than 1,000 deliveries in batches, each once, even if they fail again', async () => {
    const partnerId = await make()
    const ids = makeIds(2500)
    await db.$client`
      insert into deliveries (partner_id, kind, sequence, deal_id, state, created_at, finished_at)
      select ${partnerId}, 'create', deal, deal, 'failed', now() - interval '1 hour', now() - interval '30 minutes' from unnest(${ids.map(String)}::bigint[]) deal`
    await db.$client.unsafe(`
      create function fail_again() returns trigger language plpgsql as $$ begin
        new.state := 'failed'; new.due_at := null; new.finished_at := clock_timestamp(); return new; end $$;
      create trigger fail_again before update on deliveries for each row execute function fail_again();
      create table batches (count integer);
      create function note_batch() returns trigger language plpgsql as $$ begin insert into batches select count(*) from taken; return null; end $$;
      create trigger note_batch after update on deliveries referencing new table as taken for each statement execute function note_batch()`)
    try {
      expect(await countResendable(db, partnerId, failedSince(epoch))).toBe(2500)
      expect(await resendAllOf(db, partnerId, failedSince(epoch))).toBe(2500)
      expect(await db.$client`select count from batches`).toEqual([
        { count: 1000 },
        { count: 1000 },
        { count: 500 },
      ])
    } finally {
      await db.$client.unsafe(
        'drop trigger fail_again on deliveries; drop trigger note_batch on deliveries; drop function fail_again; drop function note_batch; drop table batches',
      )
    }
    expect(await resendCounted(partnerId, failedSince(epoch))).toBe(2500)
  })
})
