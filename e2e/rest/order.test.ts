import { deleteDeal } from '#server/deals/removal-store.ts'
import type { TestPartner, TestedSystem } from '../system.ts'
import { ask } from './client.ts'
import { bringIn, newIds } from './deals.ts'
import { expect, test } from './rest-test.ts'

/** Returns the IDs on a page, and whether it is the last page. */
async function readPage(system: TestedSystem, token: string, page: number, size: number) {
  const { json } = await ask(system, `GET /api/deals?page=${page}&size=${size}`, { token })
  return {
    ids: json.deals.map(({ id }: { id: number }) => BigInt(id)) as bigint[],
    isLast: page >= json.pages,
    count: json.count as number,
    pages: json.pages as number,
  }
}

/** Returns the IDs of the whole list, page by page. Calls `between` after each page. */
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

test('imported deals are in file order, regardless of ids', async ({ system }) => {
  const ids = newIds(40)
  const shuffled = ids.map((id, at) => ids[(at * 17) % 40] ?? id)
  const { token, slug } = await system.makePartner()
  const file = shuffled.map((id) => JSON.stringify({ id: Number(id) })).join('\n')
  expect((await system.operator(['import', '-', '--partner', slug], file)).stdout).toBe(
    'created 40, updated 0, unchanged 0, rejected 0\n',
  )
  for (const size of [1, 7, 25]) expect(await walk(system, token, size)).toEqual(shuffled)
})

test('a new deal is appended, and an updated deal keeps its position', async ({ system }) => {
  const [first, second] = [newIds(6), newIds(3)]
  const partner = await system.makePartner({ deals: first.map((id) => ({ id })) })
  await bringIn(
    system,
    partner,
    [second[2]!, first[3]!, second[0]!, first[0]!, second[1]!].map((id) => ({ id, stage: 'Permit' })),
  )
  expect(await walk(system, partner.token, 4)).toEqual([...first, second[2], second[0], second[1]])
})

test('removing a deal leaves no gap: later paging neither repeats nor misses a deal', async ({ system }) => {
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

test('a moved deal leaves one list and is appended to the other', async ({ system }) => {
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
