import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import type { Database } from '#db/client.ts'
import { failure, outcomeOf, untilBlocked } from '#e2e/delivery-queue.ts'
import { openQueue } from '#e2e/dispatchers.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { EndpointKind } from './delivery.ts'
import { recordAttempts } from './queue-store.ts'
import { readEndpoints, writeEndpoints } from './store.ts'

const { db, url, makeId, makePartner: make, change, lease, record, queue } = await openQueue()

const same = { create: 'https://a.example/', update: 'https://a.example/' }
const apart = { create: 'https://a.example/create', update: 'https://a.example/update' }
const hour = 60 * 60 * 1000
const waiting = (partnerId: PartnerId) => queue(partnerId, { state: 'waiting' })
const dueNow = async (partnerId: PartnerId) =>
  (await waiting(partnerId)).filter(({ dueInMs }) => dueInMs! <= 0).map(({ sequence }) => sequence)
const endpoint = async (partnerId: PartnerId, kind: EndpointKind) =>
  (await readEndpoints(db, partnerId)).find((each) => each.kind === kind)!

/** Returns a partner with one deal that was created and then changed this many times. */
async function withUpdatedDeal(urls: { create: string; update: string }, updates: number, id = makeId()) {
  const partnerId = await make(urls)
  for (let round = 0; round <= updates; round++) await change(partnerId, id)
  return partnerId
}

/** Returns such a partner, whose first delivery has failed and waits for an hour. */
async function withFailedHead(...deal: Parameters<typeof withUpdatedDeal>): Promise<PartnerId> {
  const partnerId = await withUpdatedDeal(...deal)
  const [head] = await lease(partnerId, 'create')
  await record(outcomeOf(head!, failure(hour)))
  return partnerId
}

describe('a result', () => {
  test('is stored with the full response and the next state', async () => {
    const partnerId = await make(apart)
    await change(partnerId, makeId())
    const [leased] = await lease(partnerId, 'create')
    const startedAt = new Date('2026-03-01T17:20:05.123Z')
    await record(
      outcomeOf(leased!, {
        ...failure(hour, null),
        startedAt,
        error: 'the connection was refused',
        responseHeaders: '',
        responseBody: 'ä\u2028"\\',
      }),
    )
    const [row] = await queue(partnerId)
    expect(row).toMatchObject({ state: 'waiting', leased: false, step: 1, attemptCount: 1 })
    expect(row!.dueInMs).toBeGreaterThan(hour - 60_000)
    expect(row!.dueInMs).toBeLessThanOrEqual(hour)
    expect(await db.$client`select * from attempts where delivery_id = ${leased!.id}`).toEqual([
      {
        delivery_id: String(leased!.id),
        number: 1,
        started_at: '2026-03-01 17:20:05.123+00',
        duration_ms: 12,
        url: apart.create,
        signature: 'v1,x',
        status: null,
        error: 'the connection was refused',
        refusals: 0,
        response_headers: '',
        response_body: 'ä\u2028"\\',
      },
    ])
  })

  test('recorded twice changes nothing, alone or in a batch', async () => {
    const partnerId = await make(apart)
    await change(partnerId, makeId(), makeId())
    const [one, other] = await lease(partnerId, 'create')
    const result = outcomeOf(one!, failure(hour))
    expect((await record(result)).ids).toEqual(new Set([one!.id]))
    const before = await queue(partnerId)
    expect((await record(result)).ids).toEqual(new Set())
    expect((await record(result, outcomeOf(other!))).ids).toEqual(new Set([other!.id]))
    expect((await queue(partnerId)).find(({ id }) => id === one!.id)).toMatchObject({
      ...before.find(({ id }) => id === one!.id),
      dueInMs: expect.any(Number) as number,
    })
    expect(await db.$client`select from attempts where delivery_id = ${one!.id}`).toHaveLength(1)
  })

  test('is recorded in one statement, so a worker that is paused keeps no lock', async () => {
    let statements = 0
    const worker = postgres(url, { max: 1, debug: () => statements++ })
    // In the most complex case, other deliveries wait behind this one and its endpoint is disabled.
    const partnerId = await withUpdatedDeal(same, 1)
    const [leased] = await lease(partnerId, 'create')
    await worker`select 1`
    statements = 0
    await recordAttempts({ $client: worker } as Database, [outcomeOf(leased!, failure(hour, 410))], hour)
    expect(statements).toBe(1)
    await worker.end()
  })
})

describe('an endpoint that asks for fewer requests', () => {
  const free = { ...failure(0, 504), pauseMs: 1, isFree: true }

  test('is paused together with the other endpoint at its URL', async () => {
    const partnerId = await make(same)
    await change(partnerId, makeId())
    const [leased] = await lease(partnerId, 'create')
    await record(outcomeOf(leased!, { ...failure(hour, 429), pauseMs: hour }))
    for (const { pausedUntil } of await readEndpoints(db, partnerId))
      expect(pausedUntil!.getTime() - Date.now()).toBeGreaterThan(hour / 2)
  })

  test('has one log entry for all rejections of a delivery, and another one for its acceptance', async () => {
    const partnerId = await make(apart)
    await change(partnerId, makeId())
    for (const result of [failure(0, 504), free, free, free, free, {}]) {
      await db.$client`update endpoints set paused_until = null where partner_id = ${partnerId}`
      await record(outcomeOf((await lease(partnerId, 'create'))[0]!, result))
    }
    expect(
      await db.$client`select number, status, attempts.refusals from attempts join deliveries on id = delivery_id where partner_id = ${partnerId} order by number`,
    ).toMatchObject([
      { number: 1, status: 504, refusals: 0 },
      { number: 2, status: 504, refusals: 3 },
      { number: 3, status: 200, refusals: 0 },
    ])
    expect(await queue(partnerId)).toMatchObject([{ state: 'delivered', attemptCount: 3, step: 2 }])
  })
})

describe('deliveries waiting behind a failed delivery', () => {
  test.each([
    ['one URL', same, [4]],
    ['two URLs', apart, [2, 3, 4]],
  ])('of the same deal and URL wait as long as the failed delivery: %s', async (_what, addresses, due) => {
    const id = makeId()
    const partnerId = await withFailedHead(addresses, 1, id)
    await change(partnerId, id, makeId())
    const [first, ...rows] = await waiting(partnerId)
    for (const { sequence, dueInMs } of [first!, ...rows.filter((row) => !due.includes(row.sequence))])
      expect([sequence, Math.round(dueInMs! / 60_000)]).toEqual([sequence, 60])
    expect(await dueNow(partnerId)).toEqual(due)
  })

  test('become due when it is delivered or has permanently failed', async () => {
    for (const state of ['delivered', 'failed'] as const) {
      const partnerId = await withFailedHead(same, 2)
      await db.$client`update deliveries set due_at = now() where partner_id = ${partnerId} and sequence = 1`
      expect(await dueNow(partnerId)).toEqual([1])
      await record(
        outcomeOf((await lease(partnerId, 'create'))[0]!, { state, status: state === 'failed' ? 500 : 200 }),
      )
      expect(await dueNow(partnerId)).toEqual([2, 3])
      expect(await lease(partnerId, 'update')).toHaveLength(1)
    }
  })
})

describe('a changed URL', () => {
  test('gets deliveries that waited behind the other kind, which now goes to another URL', async () => {
    const partnerId = await withFailedHead(same, 2)
    expect(await dueNow(partnerId)).toEqual([])
    await writeEndpoints(db, partnerId, { update: 'https://b.example/' })
    expect(await dueNow(partnerId)).toEqual([2])
    await record(outcomeOf((await lease(partnerId, 'update'))[0]!))
    expect(await dueNow(partnerId)).toEqual([3])
  })

  test.each([
    ['failed', failure(hour), [1]],
    ['returned 410', failure(hour, 410), [1]],
    ['succeeded', {}, [2, 3]],
  ])('does not wait for a request to the old URL, which has %s', async (_what, result, due) => {
    const partnerId = await withFailedHead(same, 2)
    await db.$client`update deliveries set due_at = now() where partner_id = ${partnerId} and sequence = 1`
    const [head] = await lease(partnerId, 'create')
    await writeEndpoints(db, partnerId, { create: 'https://b.example/', update: 'https://b.example/' })
    await record(outcomeOf(head!, result))
    expect((await dueNow(partnerId)).slice(0, due.length)).toEqual(due)
    expect(await endpoint(partnerId, 'create')).toMatchObject({ failingSince: null, switchedOffAt: null })
  })
})

describe('a cleared URL', () => {
  test('fails pending deliveries, keeps them listed, and rejects late results', async () => {
    const partnerId = await make(apart)
    const ids = [makeId(), makeId()]
    await change(partnerId, ...ids)
    await record(outcomeOf((await lease(partnerId, 'create', 1))[0]!))
    await change(partnerId, ...ids)
    const [underway] = await lease(partnerId, 'create', 1)
    await writeEndpoints(db, partnerId, { create: null })
    expect((await record(outcomeOf(underway!))).ids.size).toBe(0)
    expect((await queue(partnerId)).map(({ kind, state }) => [kind, state])).toEqual([
      ['create', 'delivered'],
      ['create', 'failed'],
      ['update', 'waiting'],
      ['update', 'waiting'],
    ])
    expect(
      await db.$client`select from deliveries where partner_id = ${partnerId} and (state <> 'waiting') <> (finished_at is not null)`,
    ).toHaveLength(0)
  })

  test('releases deliveries of the other kind that waited behind its own', async () => {
    const partnerId = await withFailedHead(same, 2)
    await writeEndpoints(db, partnerId, { create: null })
    expect(await dueNow(partnerId)).toEqual([2])
  })
})

describe('a response with status 410', () => {
  test('disables the endpoint, and keeps its waiting and later events', async () => {
    const partnerId = await make(apart)
    const id = makeId()
    await change(partnerId, id, makeId())
    const [one] = await lease(partnerId, 'create', 1)
    expect((await record(outcomeOf(one!, failure(hour, 410)))).switchedOff).toEqual([
      { partnerId, kind: 'create', url: apart.create, because: 'gone' },
    ])
    expect(await lease(partnerId, 'create')).toEqual([])
    await change(partnerId, makeId(), id)
    expect(await waiting(partnerId)).toHaveLength(4)
    expect(await lease(partnerId, 'update')).toHaveLength(1)
    expect(await endpoint(partnerId, 'update')).toMatchObject({ switchedOffAt: null })
  })

  test('disables both kinds if they share the URL, even next to a success in the same batch', async () => {
    const partnerId = await make(same)
    await change(partnerId, makeId(), makeId())
    const [one, other] = await lease(partnerId, 'create')
    const { switchedOff } = await record(outcomeOf(one!, failure(hour, 410)), outcomeOf(other!))
    expect(switchedOff.map(({ kind }) => kind).toSorted()).toEqual(['create', 'update'])
  })
})

describe('a URL on which everything fails', () => {
  const failAgain = async (partnerId: PartnerId, failingMs: number, status = 500) =>
    recordAttempts(db, [outcomeOf((await lease(partnerId, 'create', 1))[0]!, failure(0, status))], failingMs)
  const sinceMs = (partnerId: PartnerId, ms: number) => db.$client`
    update endpoints set failing_since = now() - ${ms} * interval '1 millisecond' where partner_id = ${partnerId} and failing_since is not null`

  test('is disabled once it has failed long enough, and not before', async () => {
    const partnerId = await make(same)
    await change(partnerId, makeId())
    expect((await failAgain(partnerId, 5000)).switchedOff).toEqual([])
    const { failingSince } = await endpoint(partnerId, 'create')
    expect(failingSince).not.toBeNull()
    expect((await failAgain(partnerId, 60_000)).switchedOff).toEqual([])
    expect((await endpoint(partnerId, 'create')).failingSince).toEqual(failingSince)
    await sinceMs(partnerId, 60_000)
    const { switchedOff } = await failAgain(partnerId, 60_000)
    expect(switchedOff.toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual([
      { partnerId, kind: 'create', url: same.create, because: 'failing' },
      { partnerId, kind: 'update', url: same.update, because: 'failing' },
    ])
    expect(await lease(partnerId, 'create')).toEqual([])
  })

  test('recovers after one success of either kind if both share the URL', async () => {
    const partnerId = await make(same)
    const [id, other] = [makeId(), makeId()]
    await change(partnerId, id, other)
    await failAgain(partnerId, 1e12)
    await sinceMs(partnerId, 60_000)
    const [one] = await lease(partnerId, 'create', 1)
    await recordAttempts(db, [outcomeOf(one!)], 60_000)
    expect(await readEndpoints(db, partnerId)).toMatchObject([{ failingSince: null }, { failingSince: null }])
    expect((await failAgain(partnerId, 60_000)).switchedOff).toEqual([])
  })
})

// In each case, the first of two deliveries of a deal is recorded, and another transaction that locks the
// endpoints makes the change meanwhile.
test.each<[string, Parameters<typeof outcomeOf>[1], string, object]>([
  [
    'a changed URL does not wait, and is not disabled',
    failure(hour),
    "update endpoints set url = 'https://b.example/' where true",
    { isDue: [true, true], isFailing: [false, false], switchedOff: [] },
  ],
  [
    'a URL that has failed for a long time recovers with a success',
    {},
    "update endpoints set failing_since = now() - interval '2 hours' where true",
    { isFailing: [false, false], switchedOff: [] },
  ],
  [
    'a URL that has failed for a long time is disabled',
    failure(hour),
    "update endpoints set failing_since = now() - interval '2 hours' where true",
    { isFailing: [true, true], switchedOff: ['failing', 'failing'] },
  ],
  [
    'a renewed lease ends',
    failure(hour),
    "update deliveries set leased_until = now() + interval '1 day' where sequence = 1",
    { first: { leased: false, attemptCount: 1 }, isDue: [false, false] },
  ],
  [
    'a delivery leased by another worker stays with that worker',
    failure(hour),
    'update deliveries set lease = lease + 1 where sequence = 1',
    {
      isRecorded: false,
      first: { leased: true, attemptCount: 0 },
      isDue: [true, true],
      isFailing: [false, false],
    },
  ],
  [
    'a finished delivery behind the failed one stays finished',
    failure(hour),
    "update deliveries set state = 'delivered', due_at = null, finished_at = now() where sequence = 2",
    { first: { state: 'waiting' }, second: { state: 'delivered', dueInMs: null } },
  ],
])('a change while a result waits for the lock applies: %s', async (_what, result, change, expected) => {
  const partnerId = await withUpdatedDeal(same, 1)
  const [head] = await lease(partnerId, 'create')
  let recording: ReturnType<typeof record> | undefined
  await db.$client.begin(async (sql) => {
    await sql`select from endpoints where partner_id = ${partnerId} for update`
    recording = recordAttempts(db, [outcomeOf(head!, result)], hour)
    await untilBlocked(db)
    await sql.unsafe(`${change} and partner_id = ${partnerId}`)
  })
  const { ids, switchedOff } = await recording!
  const [first, second] = await queue(partnerId)
  expect({
    isRecorded: ids.has(head!.id),
    first,
    second,
    isDue: [first!.dueInMs! <= 0, second!.dueInMs! <= 0],
    isFailing: (await readEndpoints(db, partnerId)).map(({ failingSince }) => failingSince !== null),
    switchedOff: switchedOff.map(({ because }) => because),
  }).toMatchObject({ isRecorded: true, ...expected })
})

test('a resend alongside a later delivery of the same deal records both results', async () => {
  const partnerId = await make(same)
  const id = makeId()
  await change(partnerId, id)
  await record(outcomeOf((await lease(partnerId, 'create'))[0]!))
  await change(partnerId, id)
  const [later] = await lease(partnerId, 'update')
  await db.$client`update deliveries set state = 'waiting', due_at = now(), step = 0, finished_at = null where partner_id = ${partnerId} and sequence = 1`
  const [again] = await lease(partnerId, 'create')
  await record(outcomeOf(again!, failure(hour)), outcomeOf(later!))
  expect(await queue(partnerId)).toMatchObject([
    { sequence: 1, state: 'waiting', attemptCount: 2 },
    { sequence: 2, state: 'delivered', dueInMs: null, attemptCount: 1 },
  ])
})
