import fc from 'fast-check'
import { beforeAll, expect, test, describe } from 'vitest'
import { useDatabase } from '#e2e/use-database.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { findPartner, insertPartner, zoneOfPartner } from '../accounts/store.ts'
import type { DealWrite } from './change.ts'
import { writeDeals } from './deal-writer.ts'
import { updateUsualZones, readPage, readPageAfter } from './list-store.ts'
import { deleteDeal } from './removal-store.ts'

const database = useDatabase()

const listOfAll = 0
const options = { now: new Date('2026-03-01T17:20:05Z'), events: true }
const makePartner = async () => (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id
let lastId = 0n
const makeIds = (count: number) => Array.from({ length: count }, () => ++lastId)

const give = (ids: bigint[], partnerId: number | null) =>
  writeDeals(
    database.db,
    ids.map((id) => ({ record: { id }, partnerId })),
    options,
  )

/** Returns the deal IDs of a page, and the list's count. */
async function page(listId: number, number: number, size: number): Promise<{ count: number; ids: bigint[] }> {
  const { count, dealsJson } = await readPage(database.db, listId as TenantScope, number, size)
  return { count, ids: [...dealsJson.matchAll(/\{"id":(-?\d+),"owner":/g)].map(([, id]) => BigInt(id!)) }
}

/** Reads all pages of a list and the one after the last, and compares each page with the expected IDs. */
async function expectPages(listId: number, expected: bigint[], sizes = [1, 2, 7, 25]): Promise<void> {
  for (const size of sizes) {
    const pages = Math.ceil(expected.length / size)
    for (let number = 1; number <= pages + 1; number++) {
      expect(await page(listId, number, size), `page ${number} of ${size}`).toEqual({
        count: expected.length,
        ids: expected.slice((number - 1) * size, number * size),
      })
    }
  }
}

/**
 * Checks the invariants of the tables: each position is either a deal or a gap, and each gap has the correct
 * number of deals before it.
 */
async function expectDense(): Promise<void> {
  const wrong = await database.db.$client`
    with places as (
      select list_id, position, true as deal from deal_places union all select list_id, position, false from deal_gaps
    ), sums as (
      select list_id, count(*) filter (where deal) as deals, count(*) as positions, max(position) as last, min(position) as first from places group by list_id
    )
    select list.id, 'counts' as what from deal_lists list left join sums on sums.list_id = list.id
    where list.deal_count <> coalesce(sums.deals, 0) or list.last_position <> coalesce(sums.positions, 0)
      or sums.last <> list.last_position or sums.first <> 1
    union all
    select gap.list_id, 'gap ' || gap.position from deal_gaps gap
    where deals_before <> (select count(*) from deal_places place where place.list_id = gap.list_id and place.position < gap.position)
    union all
    select deal.partner_id, 'deal ' || deal.id from deals deal
    where (select array_agg(list_id order by list_id) from deal_places where deal_id = deal.id)
      <> case when deal.partner_id is null then array[0] else array[0, deal.partner_id] end`
  expect([...wrong]).toEqual([])
}

describe('after any sequence of writes', () => {
  // The expected content of the list of all deals and of the lists of three partners. The database may
  // already contain deals of an earlier run, so the former is read first.
  const all: bigint[] = []
  const owners = new Map<bigint, number | null>()
  beforeAll(async () => {
    const { count } = await page(listOfAll, 1, 1)
    all.push(...(await page(listOfAll, 1, count + 1)).ids)
  })

  const write = fc.record({
    deal: fc.nat({ max: 11 }),
    owner: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(0, 1, 2) },
      { weight: 2, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    stage: fc.constantFrom('a', 'b', null, undefined),
  })
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        writes: fc.uniqueArray(write, { selector: ({ deal }) => deal, minLength: 1, maxLength: 8 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ removes: fc.nat({ max: 11 }) }) },
  )

  test('pages equal those of a plain list', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25, size: 'max' }), async (steps) => {
        const partnerIds = [await makePartner(), await makePartner(), await makePartner()]
        const lists = new Map<number, bigint[]>(partnerIds.map((id) => [id, []]))
        const ids = makeIds(12)
        const take = (list: bigint[] | undefined, id: bigint) => {
          if (list?.includes(id) === true) list.splice(list.indexOf(id), 1)
        }
        for (const step of steps) {
          if ('removes' in step) {
            const id = ids[step.removes]!
            expect((await deleteDeal(database.db, id)) !== undefined).toBe(owners.has(id))
            take(all, id)
            take(lists.get(owners.get(id) ?? -1), id)
            owners.delete(id)
            continue
          }
          const writes = step.writes.map(({ deal, owner, stage }): DealWrite => ({
            record: { id: ids[deal]!, ...(stage === undefined ? {} : { stage }) },
            partnerId: typeof owner === 'number' ? partnerIds[owner]! : owner,
          }))
          const outcomes = await writeDeals(database.db, writes, options)
          for (const [
            index,
            {
              record: { id },
              partnerId,
            },
          ] of writes.entries()) {
            const known = owners.has(id)
            if (!known && partnerId === undefined) {
              expect(outcomes[index]).toBe('no partner')
              continue
            }
            if (!known) all.push(id)
            const before = owners.get(id)
            const after = partnerId === undefined ? before! : partnerId
            if (known && before !== after) expect(outcomes[index]).toBe('updated')
            if (!known || before !== after) {
              take(lists.get(before ?? -1), id)
              lists.get(after ?? -1)?.push(id)
            }
            owners.set(id, after)
          }
        }
        for (const [partnerId, list] of lists) await expectPages(partnerId, list, [1, 5, 25])
        await expectPages(listOfAll, all, [25])
        await expectDense()
      }),
      { seed: 20_260_301, numRuns: 25, endOnFailure: true },
    )
  })
})

describe('many gaps in a list', () => {
  test('are closed beyond 1,000 gaps and a tenth of the deals, keeping the order', async () => {
    const partnerId = await makePartner()
    const ids = makeIds(2600)
    for (let start = 0; start < ids.length; start += 1300)
      await give(ids.slice(start, start + 1300), partnerId)
    const gaps = async () =>
      Number(
        (
          await database.db.$client<
            { count: string }[]
          >`select count(*) from deal_gaps where list_id = ${partnerId}`
        )[0]!.count,
      )
    // Removes every third deal, in an order that is neither that of the list nor its reverse.
    const going = ids
      .filter((_id, index) => index % 3 === 1 || index > 2000)
      .toSorted((a, b) => Number(((a * 7919n) % 2609n) - ((b * 7919n) % 2609n)))
    expect(going.length).toBeGreaterThan(1001)
    await give(going.slice(0, 1000), null)
    expect(await gaps()).toBe(1000)
    const left = (gone: bigint[]) => ids.filter((id) => !gone.includes(id))
    await expectPages(partnerId, left(going.slice(0, 1000)), [25])
    await give(going.slice(1000, 1001), null)
    expect(await gaps()).toBe(0)
    await expectPages(partnerId, left(going.slice(0, 1001)), [25])
    await expectDense()
    const late = makeIds(2)
    await give([...going.slice(0, 2), ...late], partnerId)
    await expectPages(partnerId, [...left(going.slice(0, 1001)), ...going.slice(0, 2), ...late], [25])
    await expectDense()
  })
})

describe('paging through a list', () => {
  /** Follows `next` links with 25 deals per page, and calls `between` after each page. Returns the IDs. */
  async function walk(partnerId: number, between: (pages: number) => Promise<unknown>): Promise<bigint[]> {
    const ids: bigint[] = []
    let read = await readPage(database.db, partnerId as TenantScope, 1, 25)
    for (let pages = 1; ; pages++) {
      ids.push(...[...read.dealsJson.matchAll(/\{"id":(-?\d+),"owner":/g)].map(([, id]) => BigInt(id!)))
      if (read.next === null) return ids
      await between(pages)
      read = (await readPageAfter(database.db, partnerId as TenantScope, read.next, 25))!
    }
  }

  test('misses and repeats nothing while deals are removed on both sides and others arrive', async () => {
    const partnerId = await makePartner()
    const ids = makeIds(200)
    await give(ids, partnerId)
    const late = makeIds(8)
    const gone = new Set<bigint>()
    const seen = await walk(partnerId, async (pages) => {
      // The last deal of the page, two deals before it, and two deals on later pages.
      const going = [ids[pages * 25 - 1]!, ids[pages * 20]!, ids[3]!, ids[pages * 25 + 5]!, ids[199 - pages]!]
      for (const id of going) gone.add(id)
      await give(going, null)
      if (pages <= late.length) await give([late[pages - 1]!], partnerId)
    })
    expect(new Set(seen).size).toBe(seen.length)
    const stayed = ids.filter((id) => !gone.has(id))
    expect(stayed.filter((id) => !seen.includes(id))).toEqual([])
    expect(seen.filter((id) => ids.includes(id))).toEqual(
      seen.filter((id) => ids.includes(id)).toSorted((a, b) => Number(a - b)),
    )
    expect(seen.slice(-1)).toEqual([late[6]])
  })

  test('continues after up to three gap closings', async () => {
    const partnerId = await makePartner()
    const ids = makeIds(1400)
    await give(ids, partnerId)
    const closings = async () =>
      (await database.db.$client`select closings from deal_lists where id = ${partnerId}`)[0]!['closings']
    const close = async () => {
      const others = makeIds(1001)
      await give(others, partnerId)
      await give(others, null)
    }
    const { next: old } = await readPage(database.db, partnerId as TenantScope, 2, 25)
    const gone = ids.filter((_id, index) => index % 4 !== 3).slice(0, 1020)
    let count = 0
    const seen = await walk(partnerId, async (pages) => {
      count = pages
      if (pages === 2) await give(gone, null)
      if (pages === 4 || pages === 5) await close()
    })
    expect(await closings()).toBe(3)
    expect(count).toBeGreaterThan(5)
    expect(seen).toEqual([...ids.slice(0, 50), ...ids.slice(50).filter((id) => !gone.includes(id))])
    const following = await readPageAfter(database.db, partnerId as TenantScope, old!, 25)
    expect(following!.dealsJson).toContain(`{"id":${seen[50]},`)
    await close()
    expect(await readPageAfter(database.db, partnerId as TenantScope, old!, 25)).toBeNull()
  })

  test('returns an empty page beyond the end, and null for an unknown gap closing', async () => {
    const partnerId = await makePartner()
    await give(makeIds(3), partnerId)
    for (const place of [
      { closings: 0, position: 999_999_999_999_999 },
      { closings: 0, position: 3 },
    ])
      expect(await readPageAfter(database.db, partnerId as TenantScope, place, 25)).toMatchObject({
        count: 3,
        dealsJson: '',
        next: null,
      })
    expect(
      await readPageAfter(database.db, partnerId as TenantScope, { closings: 7, position: 1 }, 25),
    ).toBeNull()
  })
})

test("a partner's time zone is the most common one of its deals, updated when their number has doubled", async () => {
  const { db } = database
  const { id } = (await insertPartner(db, 'acme', 'Acme'))!
  const add = async (state: string | null, count: number) => {
    const writes = makeIds(count).map((dealId) => ({ record: { id: dealId, state }, partnerId: id }))
    await writeDeals(db, writes, { now: new Date(), events: false })
    await updateUsualZones(db)
    return zoneOfPartner((await findPartner(db, 'acme'))!)
  }
  await updateUsualZones(db)
  expect(zoneOfPartner((await findPartner(db, 'acme'))!)).toBe('UTC')
  expect(await add('NV', 2)).toBe('America/Los_Angeles')
  // Three deals are not yet twice as many as the two deals of the last update.
  expect(await add('UT', 1)).toBe('America/Los_Angeles')
  expect(await add('UT', 2)).toBe('America/Denver')
  expect(await add('NV', 4)).toBe('America/Denver')
  expect(await add(null, 9)).toBe('America/Los_Angeles')
  expect(
    await db.$client`select usual_zone_deals::integer as deals from partners where slug = 'acme'`,
  ).toEqual([{ deals: 18 }])
})
