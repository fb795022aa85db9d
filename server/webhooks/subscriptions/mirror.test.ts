import { expect, test } from 'vitest'
import { openQueue } from '#e2e/dispatchers.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { writeDeals } from '../../deals/deal-writer.ts'
import type { DealRecord } from '../../deals/deal.ts'
import { readEvents } from '../../deals/event-store.ts'
import { deleteDeal } from '../../deals/removal-store.ts'
import { searchDeals } from '../../search/operations.ts'
import { readFilter } from '../../search/parameters.ts'
import { utc } from '../../values/zone.ts'
import { lookBack } from './look-back-store.ts'
import { insertSubscription, readSubscription, updateSubscription } from './store.ts'
import { EventChoice, subscribedEventsOf } from './wire.ts'

const { db, makeIds, makePartner } = await openQueue()

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
