import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { untilBlocked } from '#e2e/delivery-queue.ts'
import { openQueue } from '#e2e/dispatchers.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { eventTypes } from '../deals/event.ts'
import { deleteDeal } from '../deals/removal-store.ts'
import { type EndpointName, listenToQueue } from './queue-store.ts'
import { resendAllOf } from './resend-store.ts'
import { switchOn, writeEndpoints } from './store.ts'

const { db, makeId, makeIds, makePartner: make, change, queue } = await openQueue()

const createURL = 'https://a.example/create'
const updateURL = 'https://a.example/update'
const both = { create: createURL, update: updateURL }
const queued = async (partnerId: PartnerId) =>
  (await queue(partnerId)).map(({ kind, sequence, dealId }) => [kind, sequence, BigInt(dealId)])

describe('an event of a partner', () => {
  test('is queued for the endpoint of its type', async () => {
    const partnerId = await make(both)
    const [one, other] = [makeId(), makeId()]
    await change(partnerId, one, other)
    await change(partnerId, other)
    expect(await queued(partnerId)).toEqual([
      ['create', 1, one],
      ['create', 2, other],
      ['update', 3, other],
    ])
    expect(await queue(partnerId)).toMatchObject(
      Array(3).fill({ state: 'waiting', leased: false, lease: 0, step: 0, attemptCount: 0 }),
    )
  })

  test.each(Object.entries(eventTypes))(
    'of type %s is queued for its endpoint, if there is one',
    async (type, { endpoint }) => {
      const partnerId = await make(both)
      const id = makeId()
      await db.$client`
      insert into events (partner_id, sequence, type, deal_id, created_at, body)
      values (${partnerId}, 1, ${type}, ${String(id)}, now(), '{}')`
      expect(await queued(partnerId)).toEqual(endpoint === null ? [] : [[endpoint, 1, id]])
    },
  )

  test.each([
    [{ create: createURL }, [['create', 1]]],
    [{ update: createURL }, [['update', 2]]],
    [{}, []],
  ])('is queued only if its own URL is set, then or later: %j', async (urls, expected) => {
    const partnerId = await make(urls)
    const id = makeId()
    await change(partnerId, id)
    await change(partnerId, id)
    await writeEndpoints(db, partnerId, both)
    expect(await queued(partnerId)).toEqual(expected.map((row) => [...row, id]))
  })

  test('is queued only for the new partner of a moved deal, and a removal for no endpoint', async () => {
    const [from, to] = [await make(both), await make(both)]
    const id = makeId()
    await change(from, id)
    await change(to, id)
    await deleteDeal(db, id)
    expect(await queued(from)).toEqual([['create', 1, id]])
    expect(await queued(to)).toEqual([['create', 1, id]])
  })
})

test('an event and its delivery are stored together or not at all', async () => {
  const partnerId = await make(both)
  const id = makeId()
  await change(partnerId, id)
  await expect(
    db.$client.begin(async (tx) => {
      await tx`insert into events (partner_id, sequence, type, deal_id, created_at, body) values (${partnerId}, 2, 'deal.updated', ${String(id)}, now(), '{}')`
      expect(await tx`select from deliveries where partner_id = ${partnerId}`).toHaveLength(2)
      throw new Error('back')
    }),
  ).rejects.toThrow('back')
  expect(await queued(partnerId)).toEqual([['create', 1, id]])
})

describe('workers are notified', () => {
  const woken: EndpointName[] = []
  const wake = (name: EndpointName) => woken.push(name)
  let listener: ReturnType<typeof listenToQueue>
  beforeAll(
    () => new Promise<void>((ready) => (listener = listenToQueue(db, { wake, withdraw() {}, ready }))),
  )
  afterAll(() => listener.stop())

  test.each<[string, (partnerId: PartnerId) => Promise<unknown>]>([
    ['an event is committed', (partnerId) => change(partnerId, makeId())],
    ['a URL is changed', (partnerId) => writeEndpoints(db, partnerId, { create: updateURL })],
    ['an endpoint is enabled', (partnerId) => switchOn(db, partnerId, 'create')],
    ['a delivery is resent', (partnerId) => resendAllOf(db, partnerId, {})],
  ])('when %s', async (_what, act) => {
    const partnerId = await make({ create: createURL })
    await db.$client`
      insert into deliveries (partner_id, kind, sequence, deal_id, state, finished_at)
      values (${partnerId}, 'create', 1000, 1, 'failed', now())`
    await act(partnerId)
    // Other tests cause notifications of other partners.
    const own = () => woken.filter((name) => name.partnerId === partnerId)
    await vi.waitFor(() => expect(own()).toMatchObject([{ kind: 'create' }]), { timeout: 10_000 })
  })
})

describe('a URL changed during an import', () => {
  /** Writes an event in its own transaction, and runs `meanwhile` before the transaction ends. */
  async function importing(
    partnerId: PartnerId,
    type: 'deal.created' | 'deal.updated',
    meanwhile: () => Promise<unknown>,
  ): Promise<void> {
    let done: Promise<unknown> = Promise.resolve()
    await db.$client.begin(async (tx) => {
      await tx`insert into events (partner_id, sequence, type, deal_id, created_at, body)
        select ${partnerId}, 100 + coalesce(max(sequence), 0), ${type}, 7, now(), '{}' from events where partner_id = ${partnerId}`
      done = meanwhile()
      await untilBlocked(db)
    })
    await done
  }

  test('leaves no waiting delivery if it is cleared', async () => {
    const partnerId = await make(both)
    await importing(partnerId, 'deal.created', () => writeEndpoints(db, partnerId, { create: null }))
    expect(await queue(partnerId)).toMatchObject([{ kind: 'create', state: 'failed', dueInMs: null }])
  })

  test.each<[string, (partnerId: PartnerId) => Promise<unknown>]>([
    [
      'set anew',
      (partnerId) =>
        writeEndpoints(db, partnerId, {
          create: 'https://b.example/',
          update: 'https://b.example/',
        }),
    ],
    ['switched on', (partnerId) => switchOn(db, partnerId, 'create')],
  ])('waits for the import if it is %s, and so finds the deliveries of the import', async (_what, alter) => {
    const partnerId = await make({ create: createURL, update: createURL })
    await change(partnerId, 7n)
    await db.$client`update deliveries set due_at = now() + interval '1 hour', step = 1 where partner_id = ${partnerId}`
    await importing(partnerId, 'deal.updated', () => alter(partnerId))
    expect((await queue(partnerId)).map(({ kind, dueInMs }) => [kind, dueInMs! <= 0])).toEqual([
      ['create', true],
      ['update', false],
    ])
  })

  test('leaves no waiting delivery if it was cleared before the import, which waited for the change', async () => {
    const partnerId = await make(both)
    let imported: Promise<unknown> = Promise.resolve()
    await db.$client.begin(async (tx) => {
      await tx`delete from endpoints where partner_id = ${partnerId} and kind = 'create'`
      imported = change(partnerId, makeId())
      await untilBlocked(db)
    })
    await imported
    expect(await queue(partnerId)).toEqual([])
  })

  test('does not block the import if both URLs are cleared', async () => {
    const partnerId = await make(both)
    await Promise.all([
      (async () => {
        for (let round = 0; round < 40; round++) {
          const ids = makeIds(20)
          await change(partnerId, ...ids.slice(0, 10))
          await change(partnerId, ...ids.toReversed())
        }
      })(),
      (async () => {
        for (let round = 0; round < 40; round++) {
          await writeEndpoints(db, partnerId, { create: null, update: null })
          await writeEndpoints(db, partnerId, both)
        }
      })(),
    ])
    await writeEndpoints(db, partnerId, { create: null, update: null })
    expect(await queue(partnerId, { state: 'waiting' })).toEqual([])
  })
})
