import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '#db/client.ts'
import { useDatabase } from '#e2e/use-database.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from './deal-writer.ts'
import { readEvents } from './event-store.ts'
import { readPage } from './list-store.ts'
import { deleteDeal } from './removal-store.ts'
import { readDeal } from './store.ts'

const database = useDatabase()
const pools: Database[] = []
beforeAll(async () => {
  pools.push(...Array.from({ length: 6 }, () => openDatabase(database.url, 1)))
})
afterAll(async () => {
  await Promise.all(pools.map(({ $client }) => $client.end()))
})

const makePartner = async () => (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id
const rounds = 12
const batchSize = 20

/**
 * Runs six concurrent writers. Each has its own connection and deals, and its deals alternate between two
 * partners.
 */
async function writeAtOnce(partnerIds: [number, number], firstId: bigint): Promise<void> {
  await Promise.all(
    pools.map(async (db, writer) => {
      const ids = Array.from(
        { length: rounds * batchSize },
        (_, index) => firstId + BigInt(writer * 10_000 + index),
      )
      for (let round = 0; round < rounds; round++) {
        const fresh = ids.slice(round * batchSize, (round + 1) * batchSize)
        // Of the deals written in the previous round, one is changed, one moves to the other partner and one
        // is removed.
        const [changing, moving, leaving] = round === 0 ? [] : ids.slice((round - 1) * batchSize)
        const owner = (index: number) => partnerIds[(writer + index) % 2]!
        await writeDeals(
          db,
          [
            ...fresh.map((id, index) => ({ record: { id }, partnerId: owner(index) })),
            ...(changing === undefined
              ? []
              : [
                  { record: { id: changing, stage: `round ${round}` }, partnerId: undefined },
                  { record: { id: moving! }, partnerId: owner(0) },
                ]),
          ],
          { now: new Date('2026-03-01T17:20:05Z'), events: true },
        )
        if (leaving !== undefined) await deleteDeal(db, leaving)
      }
    }),
  )
}

test('positions, sequences and counts stay consistent, and a reader misses and repeats no event', async () => {
  const partnerIds: [number, number] = [await makePartner(), await makePartner()]
  const seen: number[] = []
  let isWriting = true
  const reading = (async () => {
    for (let isLast = false; !isLast;) {
      isLast = !isWriting
      for (let more = true; more;) {
        const { bodies } = await readEvents(database.db, partnerIds[0] as PartnerId, seen.at(-1) ?? 0, 100)
        seen.push(...bodies.map((body) => (JSON.parse(body) as { sequence: number }).sequence))
        more = bodies.length === 100
      }
    }
  })()
  await writeAtOnce(partnerIds, 1_000_000n)
  isWriting = false
  await reading

  const { $client: sql } = database.db
  for (const partnerId of partnerIds) {
    const sequences = await sql<{ sequence: number }[]>`
      select sequence::integer from events where partner_id = ${partnerId} order by sequence`
    expect(sequences.map(({ sequence }) => sequence)).toEqual(sequences.map((_event, index) => index + 1))
    const { last } = await readEvents(database.db, partnerId as PartnerId, 0, 1)
    expect(last).toBe(sequences.length)
    if (partnerId === partnerIds[0]) expect(seen).toEqual(sequences.map(({ sequence }) => sequence))
    // Events are in the order in which the deals took their positions.
    const inOrder = await sql<{ isAfter: boolean }[]>`
      select place.position > lag(place.position) over (order by event.sequence) as "isAfter"
      from events event join deal_places place on place.deal_id = event.deal_id and place.list_id = event.partner_id
      where event.partner_id = ${partnerId} and event.type = 'deal.created'`
    expect(inOrder.filter(({ isAfter }) => isAfter === false)).toHaveLength(0)
    expect(inOrder.length).toBeGreaterThan(500)
  }
  for (const listId of [0, ...partnerIds]) {
    const [list] = await sql`
      select deal_count::integer as "dealCount", last_position::integer as "lastPosition",
        (select count(*)::integer from deal_places where list_id = ${listId}) as places,
        (select count(*)::integer from deal_gaps where list_id = ${listId}) as gaps,
        (select count(distinct position)::integer from (
          select position from deal_places where list_id = ${listId}
          union all select position from deal_gaps where list_id = ${listId}) all_of_them) as positions
      from deal_lists where id = ${listId}`
    const { dealCount, lastPosition, places, gaps, positions } = list as Record<string, number>
    expect([places, places! + gaps!, positions]).toEqual([dealCount, lastPosition, lastPosition])
  }
  const [all] = await sql<{ count: number }[]>`
    select count(*)::integer as count from deals where id >= 1000000 and id < 2000000`
  expect(all!.count).toBe(pools.length * (rounds * batchSize - (rounds - 1)))
})

test('concurrent writes to one deal keep all written fields and create the deal once', async () => {
  const partnerId = await makePartner()
  const fields = ['stage', 'notes', 'battery', 'lender', 'hoaName', 'city'] as const
  for (let round = 0; round < 10; round++) {
    const id = 500_000n + BigInt(round)
    const outcomes = await Promise.all(
      pools.map((db, writer) =>
        writeDeals(db, [{ record: { id, [fields[writer]!]: `writer ${writer}` }, partnerId }], {
          now: new Date(0),
          events: true,
        }),
      ),
    )
    expect(outcomes.flat().toSorted()).toEqual(['created', ...Array.from({ length: 5 }, () => 'updated')])
    const json = await readDeal(database.db, partnerId as TenantScope, id)
    expect(JSON.parse(json!)).toMatchObject(
      Object.fromEntries(fields.map((field, writer) => [field, `writer ${writer}`])),
    )
  }
  const { bodies } = await readEvents(database.db, partnerId as PartnerId, 0, 100)
  expect(
    bodies
      .map((body) => (JSON.parse(body) as { type: string }).type)
      .filter((type) => type === 'deal.created'),
  ).toHaveLength(10)
  expect(bodies).toHaveLength(60)
})

test('paging while deals arrive misses and repeats no deal', async () => {
  const partnerId = await makePartner()
  const ids = Array.from({ length: 1500 }, (_, index) => 4_000_000n + BigInt(index))
  const arrive = async () => {
    for (let start = 0; start < ids.length; start += 50) {
      await writeDeals(
        database.db,
        ids.slice(start, start + 50).map((id) => ({ record: { id }, partnerId })),
        { now: new Date(0), events: false },
      )
    }
  }
  const walked: bigint[] = []
  let isArriving = true
  const walking = (async () => {
    for (let page = 1, ended = false; !ended;) {
      const isSettled = !isArriving
      const { dealsJson } = await readPage(database.db, partnerId as TenantScope, page, 25)
      const found = [...dealsJson.matchAll(/\{"id":(\d+),"owner":/g)].map(([, id]) => BigInt(id!))
      if (found.length === 25) {
        walked.push(...found)
        page++
      } else {
        ended = isSettled
      }
    }
  })()
  await arrive()
  isArriving = false
  await walking
  expect(walked).toEqual(ids)
})
