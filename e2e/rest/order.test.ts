import { deleteDeal } from '#server/deals/removal-store.ts'
import type { TestPartner, TestedSystem } from '../system.ts'
import { ask } from './client.ts'
import { bringIn, newDeals, newIds } from './deals.ts'
import { expect, test } from './rest-test.ts'

/** Returns the ids on a page, and whether it is the last. */
async function readPage(system: TestedSystem, token: string, page: number, size: number) {
  const { json } = await ask(system, `GET /api/deals?page=${page}&size=${size}`, { token })
  return {
    ids: json.deals.map(({ id }: { id: number }) => BigInt(id)) as bigint[],
    isLast: page >= json.pages,
    count: json.count as number,
    pages: json.pages as number,
  }
}

/** Returns the ids of the whole list, page by page; `between` runs after each page. */
async function walk(
  system: TestedSystem,
  token: string,
  size: number,
  between: (page: number) => Promise<unknown> = async () => {},
): Promise<bigint[]> {
  const ids: bigint[] = []
  for (let page = 1; ; page++) {
    const read = await readPage(system, token, page, size)
    ids.push(...read.ids)
    if (read.isLast) return ids
    expect(read.ids).toHaveLength(size)
    await between(page)
  }
}

const update = (system: TestedSystem, partner: TestPartner, id: bigint, stage: string) =>
  bringIn(system, partner, [{ id, stage }])

test('the deals of an import are in file order, regardless of ids', async ({ system }) => {
  const ids = newIds(40)
  const shuffled = ids.map((id, at) => ids[(at * 17) % 40] ?? id)
  const { token, slug } = await system.makePartner()
  const file = shuffled.map((id) => JSON.stringify({ id: Number(id) })).join('\n')
  expect((await system.operator(['import', '-', '--partner', slug], file)).stdout).toBe(
    'created 40, updated 0, unchanged 0, rejected 0\n',
  )
  for (const size of [1, 7, 25]) expect(await walk(system, token, size)).toEqual(shuffled)
})

test('a new deal lands at the end, an updated one stays where it is', async ({ system }) => {
  const [first, second] = [newIds(6), newIds(3)]
  const partner = await system.makePartner({ deals: first.map((id) => ({ id })) })
  await bringIn(
    system,
    partner,
    [second[2]!, first[3]!, second[0]!, first[0]!, second[1]!].map((id) => ({ id, stage: 'Permit' })),
  )
  expect(await walk(system, partner.token, 4)).toEqual([...first, second[2], second[0], second[1]])
})

test('any page size yields the same order, and repeated reads are stable', async ({ system, demo }) => {
  const whole = await walk(system, demo.token, 25)
  expect(new Set(whole).size).toBe(whole.length)
  for (const size of [25, 23]) expect(await walk(system, demo.token, size)).toEqual(whole)
  for (const [page, size] of [
    [1, 1],
    [17, 3],
    [5, 10],
    [whole.length, 1],
    [Math.ceil(whole.length / 24), 24],
  ] as const) {
    const { ids, count, pages } = await readPage(system, demo.token, page, size)
    expect({ ids, count, pages }).toEqual({
      ids: whole.slice((page - 1) * size, page * size),
      count: whole.length,
      pages: Math.ceil(whole.length / size),
    })
  }
})

test('paging while deals arrive and change neither misses nor repeats one', async ({ system }) => {
  const initial = newIds(60)
  const partner = await system.makePartner({ deals: initial.map((id) => ({ id })) })
  const arrived: bigint[] = []
  const walked = await walk(system, partner.token, 7, async (page) => {
    const fresh = newIds(3)
    arrived.push(...fresh)
    await bringIn(system, partner, [
      { id: initial[page]!, stage: `Stage ${page}` },
      ...fresh.map((id) => ({ id })),
      { id: initial.at(-page)!, stage: `Stage ${page}` },
    ])
  })
  expect(arrived.length).toBeGreaterThan(30)
  expect(walked).toEqual([...initial, ...arrived])
})

test('every read of the pages during an import is a prefix of the final list', async ({ system }) => {
  const initial = newIds(40)
  const partner = await system.makePartner({ deals: initial.map((id) => ({ id })) })
  const noise = await system.makePartner()
  let done = false
  const importing = (async () => {
    for (let batch = 0; batch < 30; batch++) {
      await bringIn(system, partner, [
        ...newDeals(10),
        ...initial.slice(batch, batch + 5).map((id) => ({ id, stage: `Stage ${batch}` })),
      ])
      await bringIn(system, noise, newDeals(5))
    }
    done = true
  })()
  const walks: bigint[][] = []
  do walks.push(await walk(system, partner.token, 9))
  while (!done)
  await importing
  const whole = await walk(system, partner.token, 25)
  expect(whole).toHaveLength(340)
  for (const walked of walks) {
    expect(walked.length).toBeGreaterThanOrEqual(initial.length)
    expect(walked).toEqual(whole.slice(0, walked.length))
  }
})

test('count, pages and deals of one response are consistent during an import', async ({ system }) => {
  const partner = await system.makePartner()
  let done = false
  const importing = (async () => {
    for (let batch = 0; batch < 40; batch++) await bringIn(system, partner, newDeals(1))
    done = true
  })()
  while (!done) {
    const { ids, count, pages } = await readPage(system, partner.token, 1, 25)
    expect({ length: ids.length, pages }).toEqual({
      length: Math.min(count, 25),
      pages: Math.ceil(count / 25),
    })
  }
  await importing
})

test('a removal in the middle leaves no gap: later paging neither repeats nor misses a deal', async ({
  system,
}) => {
  const ids = newIds(50)
  const partner = await system.makePartner({ deals: ids.map((id) => ({ id })) })
  const left = new Set(ids)
  for (const at of [20, 21, 0, 49]) {
    await deleteDeal(system.db, ids[at]!)
    left.delete(ids[at]!)
    for (const size of [6, 25]) expect(await walk(system, partner.token, size)).toEqual([...left])
  }
  expect((await ask(system, `GET /api/deals/${ids[20]}`, { token: partner.token })).status).toBe(404)
  const [fresh] = newIds(1)
  await bringIn(system, partner, [{ id: fresh! }])
  expect(await walk(system, partner.token, 6)).toEqual([...left, fresh])
})

test('removing a later deal does not disturb paging in progress', async ({ system }) => {
  const ids = newIds(50)
  const partner = await system.makePartner({ deals: ids.map((id) => ({ id })) })
  const gone = [30, 12, 44, 23]
  const walked = await walk(system, partner.token, 5, async (page) => {
    const at = gone[page - 1]
    if (at !== undefined) await deleteDeal(system.db, ids[at]!)
  })
  expect(walked).toEqual(ids.filter((_id, at) => !gone.includes(at)))
})

test('a deal imported again after its removal is new: it goes to the end', async ({ system }) => {
  const ids = newIds(4)
  const partner = await system.makePartner({ deals: ids.map((id) => ({ id })) })
  await deleteDeal(system.db, ids[1]!)
  await bringIn(system, partner, [{ id: ids[1]! }])
  expect(await walk(system, partner.token, 3)).toEqual([ids[0], ids[2], ids[3], ids[1]])
})

test('a deal that moves to another partner leaves one list and goes to the end of the other', async ({
  system,
}) => {
  const [ofA, ofB] = [newIds(5), newIds(5)]
  const a = await system.makePartner({ deals: ofA.map((id) => ({ id, stage: 'Sold' })) })
  const b = await system.makePartner({ deals: ofB.map((id) => ({ id })) })
  await bringIn(system, b, [{ id: ofA[2]! }])
  expect(await walk(system, a.token, 2)).toEqual([ofA[0], ofA[1], ofA[3], ofA[4]])
  expect(await walk(system, b.token, 2)).toEqual([...ofB, ofA[2]])
  expect((await ask(system, `GET /api/deals/${ofA[2]}`, { token: a.token })).status).toBe(404)
  expect((await ask(system, `GET /api/deals/${ofA[2]}`, { token: b.token })).json.stage).toBe('Sold')
  await update(system, b, ofA[2]!, 'Permit')
  await bringIn(system, a, [{ id: ofA[2]! }])
  expect(await walk(system, a.token, 2)).toEqual([ofA[0], ofA[1], ofA[3], ofA[4], ofA[2]])
  expect(await walk(system, b.token, 2)).toEqual(ofB)
})
