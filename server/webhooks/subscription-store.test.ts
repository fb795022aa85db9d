import { expect, test, describe } from 'vitest'
import { failure, outcomeOf } from '#e2e/delivery-queue.ts'
import { openQueue } from '#e2e/dispatchers.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { DealRecord } from '../deals/deal.ts'
import { readEvents } from '../deals/event-store.ts'
import { deleteDeal } from '../deals/removal-store.ts'
import { searchDeals } from '../search/operations.ts'
import { readFilter } from '../search/parameters.ts'
import { utc } from '../values/zone.ts'
import { lookBack, listLookedAt } from './look-back-store.ts'
import { replay } from './replay.ts'
import {
  insertSubscription,
  readSubscription,
  updateSubscription,
  type NewSubscription,
  deleteSubscription,
  readSubscriptions,
} from './subscription-store.ts'
import { EventChoice, subscribedEventsOf } from './subscription-wire.ts'

const { db, makeId, makeIds, makePartner, lease, record, queue } = await openQueue()

const url = 'https://a.example/hook'
const chosen = (choice: object, at = url): NewSubscription => {
  const { subscribed, problems } = subscribedEventsOf(EventChoice.parse(choice))
  expect(problems).toEqual([])
  return { url: at, name: null, ...subscribed }
}

async function subscribe(partnerId: PartnerId, choice: object, at = url): Promise<string> {
  const made = await db.transaction((tx) => insertSubscription(tx, partnerId, chosen(choice, at), 50))
  return made!.endpoint.kind
}

const write = (partnerId: PartnerId, record: DealRecord) =>
  writeDeals(db, [{ record, partnerId }], { now: new Date(), events: true })

/** Returns a partner with a subscription and an id for a deal. `change` writes the deal. */
async function subscribed(choice: object) {
  const partnerId = await makePartner()
  const [id, deal] = [await subscribe(partnerId, choice), makeId()]
  const change = (record: Partial<DealRecord> = {}) => write(partnerId, { id: deal, ...record })
  return { partnerId, id, deal, change, sent: () => queued(partnerId, id) }
}

const queued = async (partnerId: PartnerId, id: string) =>
  (
    await db.$client<{ sequence: string; filter: string | null }[]>`
      select sequence, filter from deliveries where partner_id = ${partnerId} and kind = ${id} order by sequence`
  ).map(({ sequence, filter }) => [Number(sequence), filter])

describe('the filter of a subscription', () => {
  test('sends events of deals that matched before or after the change, with the result', async () => {
    const { change, sent } = await subscribed({ filter: 'stage=Sold&amountMin=100' })
    await change({ stage: 'New', amount: 200 })
    await change({ stage: 'Sold' })
    await change({ notes: 'a' })
    await change({ amount: 99.99 })
    await change({ notes: 'b' })
    expect(await sent()).toEqual([
      [2, 'entered'],
      [3, 'in'],
      [4, 'left'],
    ])
  })

  test('compares set fields and flags', async () => {
    const { change, sent } = await subscribed({
      filter: { has: 'permitSubmitted', lacks: ['permitReceived', 'lender'], flag: 'hasBattery:false' },
    })
    await change({ lender: 'X', permitSubmitted: '2026-01-01T00:00:00.000Z' })
    await change({ permitReceived: '2026-01-02T00:00:00.000Z' })
    await change({ lender: '' })
    await change({ hasBattery: true })
    expect(await sent()).toEqual([
      [1, 'entered'],
      [2, 'left'],
      [3, 'entered'],
      [4, 'left'],
    ])
  })

  test('adds `filter` to the body, which otherwise lacks this key', async () => {
    const partnerId = await makePartner()
    const filtered = await subscribe(partnerId, { filter: 'stage=Sold' })
    const all = await subscribe(partnerId, {}, 'https://b.example/')
    await write(partnerId, { id: makeId(), stage: 'Sold' })
    const bodyOf = async (kind: string) => JSON.parse((await lease(partnerId, kind, 1))[0]!.body) as object
    const body = await bodyOf(all)
    expect(body).not.toHaveProperty('filter')
    expect(await bodyOf(filtered)).toEqual({ ...body, filter: 'entered' })
  })

  test('applies from the first event after its edit', async () => {
    const { partnerId, id, change, sent } = await subscribed({ filter: 'stage=A' })
    await change({ stage: 'B' })
    await db.transaction((tx) => updateSubscription(tx, partnerId, id, chosen({ filter: 'stage=B' })))
    expect((await readSubscription(db, partnerId, id))!.sinceSequence).toBe(1)
    expect(await sent()).toEqual([])
    await change({ notes: 'x' })
    expect(await sent()).toEqual([[2, 'in']])
  })

  test("sends `left` for a removal if the deal's earlier `left` was never delivered", async () => {
    const { deal, change, sent } = await subscribed({
      filter: 'stage=Sold',
      events: ['deal.updated', 'deal.removed'],
    })
    await change({ stage: 'Sold' })
    await change({ stage: 'Lost' })
    await deleteDeal(db, deal)
    expect(await sent()).toEqual([
      [2, 'left'],
      [3, 'left'],
    ])
  })

  test('by stage does not match a deal without a stage', async () => {
    const { partnerId, sent } = await subscribed({ filter: 'lacks=stage' })
    await write(partnerId, { id: makeId() })
    expect(await sent()).toEqual([[1, 'entered']])
  })
})

test('with `changed` sends only updates of one of the listed fields', async () => {
  const { change, sent } = await subscribed({ changed: ['stage', 'amount'], events: ['deal.updated'] })
  await change({ stage: 'A' })
  await change({ notes: 'x' })
  await change({ notes: 'y', amount: 5 })
  expect(await sent()).toEqual([[3, null]])
})

test('creating the same subscription again returns the existing one, even with another name', async () => {
  const partnerId = await makePartner()
  const make = (choice: object, name?: string) =>
    db.transaction((tx) => insertSubscription(tx, partnerId, { ...chosen(choice), name }, 50))
  const first = await make({ filter: { stage: ['B', 'A'] }, changed: 'stage' })
  const again = await make({
    filter: 'stage=A&stage=B',
    changed: ['stage'],
    events: ['deal.updated', 'deal.created'],
  })
  expect(again).toMatchObject({ isNew: false, endpoint: { kind: first!.endpoint.kind } })
  expect((await make({ filter: 'stage=A' }))!.isNew).toBe(true)
  expect(await make({ filter: { stage: ['A'] } }, 'CRM')).toMatchObject({
    isNew: false,
    endpoint: { name: 'CRM' },
  })
  expect(await readSubscriptions(db, partnerId)).toHaveLength(2)
})

test('a partner cannot exceed the maximum number of subscriptions', async () => {
  const partnerId = await makePartner()
  const make = (stage: string) =>
    db.transaction((tx) => insertSubscription(tx, partnerId, chosen({ filter: { stage } }), 2))
  expect(await make('1')).not.toBeNull()
  expect(await make('2')).not.toBeNull()
  expect(await make('3')).toBeNull()
  expect(await make('2')).toMatchObject({ isNew: false })
})

test('a deleted subscription receives nothing more', async () => {
  const { partnerId, id, change } = await subscribed({})
  await change()
  expect(await db.transaction((tx) => deleteSubscription(tx, partnerId, id))).toMatchObject({ kind: id })
  expect(await db.transaction((tx) => deleteSubscription(tx, partnerId, id))).toBeUndefined()
  await change({ notes: 'x' })
  expect(await queue(partnerId)).toMatchObject([{ state: 'failed', kind: id, sequence: 1 }])
})

test('a 410 ends the subscription and fails its waiting deliveries, but only disables a URL', async () => {
  const partnerId = await makePartner({ create: url })
  const id = await subscribe(partnerId, {})
  for (let i = 0; i < 3; i++) await write(partnerId, { id: makeId() })
  const [leased] = await lease(partnerId, id, 1)
  const { switchedOff } = await record(outcomeOf(leased!, failure(5000, 410)))
  expect(switchedOff.map(({ kind }) => kind).toSorted()).toEqual([id, 'create'].toSorted())
  expect(await readSubscription(db, partnerId, id)).toBeUndefined()
  const states = (await queue(partnerId)).map(({ kind, state }) => `${kind === id} ${state}`)
  expect(states.toSorted()).toEqual([...Array(3).fill('false waiting'), ...Array(3).fill('true failed')])
})

test('the preview counts past events that a filter would have sent, and lists values that no deal had', async () => {
  const partnerId = await makePartner()
  const deal = makeId()
  await write(partnerId, { id: deal, stage: 'New' })
  await write(partnerId, { id: deal, stage: 'Sold' })
  await write(partnerId, { id: deal, notes: 'x' })
  await write(partnerId, { id: deal, stage: 'Lost' })
  const { subscribed } = subscribedEventsOf({ filter: 'stage=Sold&stage=Slod' })
  expect(await lookBack(db, partnerId, subscribed, { days: 30 })).toEqual({
    since: expect.any(Date),
    isCut: false,
    total: 4,
    entered: 1,
    in: 1,
    left: 1,
    withheld: 1,
    unseen: [{ parameter: 'stage', text: 'Slod' }],
  })
  const list = async (isSent: boolean, before: number | null) =>
    (await listLookedAt(db, partnerId, subscribed, { days: 30 }, { isSent, before, limit: 2 })).map(
      ({ sequence, result }) => [sequence, result],
    )
  expect(await list(true, null)).toEqual([
    [4, 'left'],
    [3, 'in'],
  ])
  expect(await list(true, 3)).toEqual([[2, 'entered']])
  expect(await list(false, null)).toEqual([[1, null]])
})

test('the preview reports that older events without stored filter data are left out', async () => {
  const partnerId = await makePartner()
  const deal = makeId()
  await write(partnerId, { id: deal, stage: 'A' })
  await write(partnerId, { id: deal, stage: 'B' })
  await db.$client`delete from event_facts where partner_id = ${partnerId} and sequence = 1`
  const { subscribed } = subscribedEventsOf({ filter: 'stage=A' })
  expect(await lookBack(db, partnerId, subscribed, { days: 30 })).toMatchObject({
    isCut: true,
    total: 1,
    left: 1,
  })
})

test('a replay sends the matching events of a deal, marked as tests, until one is rejected', async () => {
  const partnerId = await makePartner()
  const [deal, other] = [makeId(), makeId()]
  for (const id of [deal, other]) await write(partnerId, { id, stage: 'Sold' })
  await write(partnerId, { id: deal, stage: 'Lost' })
  await write(partnerId, { id: deal, notes: 'x' })
  const { subscribed } = subscribedEventsOf({ filter: 'stage=Sold' })
  const bodies: string[] = []
  const statuses = [200, 500]
  const safeFetch = {
    async post(_url: string, _headers: object, body: Buffer) {
      bodies.push(String(body))
      const status = statuses.shift()!
      return {
        status,
        error: null,
        timedOut: false,
        durationMs: 1,
        responseHeaders: '',
        responseBody: '',
        retryAfter: null,
      }
    },
  }
  const deps = { safeFetch, retry: { scheduleMs: [0], throttleMs: 0 }, timeoutMs: 1000 } as never
  const replaying = { url, recorded: { dealId: deal, after: 0 }, subscribed }
  expect(await replay(db, partnerId, replaying, ['whsec_AAAA'], deps)).toMatchObject({
    replayed: [
      { sequence: 1, state: 'delivered' },
      { sequence: 3, state: 'failed', status: 500 },
    ],
    next: null,
  })
  expect(bodies.map((body) => JSON.parse(body) as object)).toMatchObject([
    { sequence: 1, filter: 'entered', test: true },
    { sequence: 3, filter: 'left', test: true },
  ])
  expect(await queue(partnerId)).toEqual([])
})

/** Returns a generator of whole numbers below a limit (mulberry32). */
function makeRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const events = ['deal.created', 'deal.updated', 'deal.removed'] as const
const filters = [
  'stage=A',
  'stage=A&stage=B&amountMin=10',
  'amountMax=20&pipeline=Solar',
  'state=Arizona&has=permitSubmitted',
  'lacks=permitSubmitted,lender&lacks=stage',
  'flag=hasBattery,hasHoa:false&flag=m2Approved',
  'createdAfter=2026-01-02&lacks=systemSize',
  'has=systemSize&state=AZ&state=NV',
]

type Random = ReturnType<typeof makeRandom>

function randomRecord(random: Random, id: bigint): DealRecord {
  const pick = <T>(...values: T[]) => values[random(values.length)]!
  const all = {
    stage: pick('A', 'B', 'C', null),
    pipeline: pick('Solar', 'Service', ''),
    state: pick('Arizona', 'AZ', ' az ', 'Nevada', null),
    amount: pick(5, 10, 20, 20.01, null),
    permitSubmitted: pick('2026-01-05T00:00:00.000Z', null),
    createDate: pick(
      '2026-01-01T00:00:00.000Z',
      '2026-01-02T00:00:00.000Z',
      '2026-01-03T00:00:00.000Z',
      null,
    ),
    lender: pick('', 'L', null),
    systemSize: pick('8.2', 'large', null),
    hasBattery: pick(true, false, null),
    hasHoa: pick(true, false, null),
    m2Approved: pick(true, false),
    notes: pick('x', 'y'),
  }
  const fields = Object.entries(all).filter(() => random(3) === 0)
  return { id, ...Object.fromEntries(fields) } as DealRecord
}

async function searchIds(partnerId: PartnerId, filter: string): Promise<Set<string>> {
  const { values } = readFilter(filter)
  const query = { ...values, limit: 100, fields: ['id'] } as unknown as Parameters<typeof searchDeals>[2]
  const page = await searchDeals(db, { tenant: partnerId, zone: utc }, query)
  return new Set([...page.matchAll(/\{"id":(\d+)\}/g)].map(([, id]) => id!))
}

interface Sent {
  id: string
  dealId: string
  sequence: number
  filter: string
}

/** A receiver that keeps the ids of matching deals. */
class Mirror {
  ids = new Set<string>()
  since = 0

  apply({ dealId, sequence, filter }: Sent): void {
    if (sequence <= this.since) return
    if (filter === 'left') this.ids.delete(dealId)
    else this.ids.add(dealId)
  }
}

/** Sends up to `limit` waiting deliveries in order. */
async function deliver(partnerId: PartnerId, mirror: Mirror, limit: number): Promise<void> {
  const sent = await db.$client<Sent[]>`
    update deliveries set state = 'delivered', due_at = null, finished_at = now() where id in (
      select id from deliveries where partner_id = ${partnerId} and state = 'waiting' order by sequence limit ${limit})
    returning id, deal_id as "dealId", sequence::float8 as sequence, filter`
  for (const each of sent.toSorted((a, b) => a.sequence - b.sequence)) mirror.apply(each)
}

test.each(filters)(
  'from %s on, a receiver of filtered events has exactly the deals of the search, despite moves, removals and edits',
  async (first) => {
    const random = makeRandom(filters.indexOf(first))
    const [partnerId, other] = [await makePartner(), await makePartner()]
    const ids = makeIds(6)
    const mirror = new Mirror()
    let filter: string = first
    const choiceOf = () => ({
      url: 'https://a.example/',
      name: null,
      ...subscribedEventsOf(EventChoice.parse({ filter, events })).subscribed,
    })
    const made = await db.transaction((tx) => insertSubscription(tx, partnerId, choiceOf(), 50))
    const { kind } = made!.endpoint
    const expectSame = async () => {
      await deliver(partnerId, mirror, 1000)
      expect([...mirror.ids].toSorted()).toEqual([...(await searchIds(partnerId, filter))].toSorted())
    }
    for (let step = 0; step < 60; step++) {
      const id = ids[random(ids.length)]!
      const action = random(30)
      if (action === 0) await deleteDeal(db, id)
      else if (action === 1) {
        filter = filters[random(filters.length)]!
        await db.transaction((tx) => updateSubscription(tx, partnerId, kind, choiceOf()))
        mirror.since = (await readSubscription(db, partnerId, kind))!.sinceSequence!
        mirror.ids = await searchIds(partnerId, filter)
      } else {
        const owner = [other, other, null, ...Array<PartnerId>(9).fill(partnerId)][random(12)]!
        const writes = [{ record: randomRecord(random, id), partnerId: owner }]
        await writeDeals(db, writes, { now: new Date(), events: true })
      }
      if (random(6) === 0) await expectSame()
      else if (random(3) === 0) await deliver(partnerId, mirror, random(4))
    }
    await expectSame()
    await expectAgreement(partnerId, kind)
  },
)

/** Expects that the look back and the list of events agree with the events sent since the filter was set. */
async function expectAgreement(partnerId: PartnerId, kind: string): Promise<void> {
  const { sinceSequence, filter, terms } = (await readSubscription(db, partnerId, kind))!
  const sent = await db.$client<{ sequence: number; filter: string }[]>`
    select sequence::float8, filter from deliveries
    where partner_id = ${partnerId} and kind = ${kind} and sequence > ${sinceSequence} order by sequence`
  const subscribed = { events: [...events], filter, terms }
  const counts = await lookBack(db, partnerId, subscribed, { after: sinceSequence! })
  const count = (result: string) => sent.filter((each) => each.filter === result).length
  // A removal can follow another removal that was withdrawn, which the look back does not know.
  expect(counts).toMatchObject({ entered: count('entered'), in: count('in') })
  expect(counts.left).toBeLessThanOrEqual(count('left'))
  const listed: number[] = []
  for (let after = sinceSequence!; ;) {
    const page = await readEvents(db, partnerId, after, 3, { terms })
    listed.push(...page.bodies.map((body) => (JSON.parse(body) as { sequence: number }).sequence))
    after = page.next
    if (page.next >= page.last) break
  }
  const sequences = sent.map(({ sequence }) => sequence)
  expect(sequences).toEqual(expect.arrayContaining(listed))
  expect(listed).toHaveLength(counts.entered + counts.in + counts.left)
}
