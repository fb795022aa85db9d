import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '#db/client.ts'
import { useDatabase } from '#e2e/use-database.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from './deal-writer.ts'
import { readPage } from './list-store.ts'

// Limits how many database pages are read for a page of a list. The list belongs to one partner and has 6,000
// deals with gaps; other partners have as many deals.

const dealCount = 6000
const options = { now: new Date(0), events: false }
const database = useDatabase()
let watched: Database
let partnerId: number
let order: bigint[] = []
let statement = { query: '', parameters: [] as never[] }

beforeAll(async () => {
  const debug = (_connection: number, query: string, parameters: unknown[]) => {
    statement = { query, parameters: parameters as never[] }
  }
  watched = { $client: postgres(database.url, { max: 1, debug }) } as Database
  partnerId = (await insertPartner(database.db, 'large', 'A large partner'))!.id
  const others = await Promise.all(
    Array.from(
      { length: 20 },
      async (_, index) => (await insertPartner(database.db, `small-${index}`, 'A small partner'))!.id,
    ),
  )
  for (let start = 0; start < dealCount; start += 2000) {
    const ids = Array.from({ length: 2000 }, (_, index) => BigInt(start + index))
    await writeDeals(
      database.db,
      ids.map((id) => ({ record: { id }, partnerId })),
      options,
    )
    await writeDeals(
      database.db,
      ids.map((id) => ({ record: { id: id + 1_000_000n }, partnerId: others[Number(id) % 20] })),
      options,
    )
    order.push(...ids)
  }
  // Single gaps and runs of hundreds, but not enough for gaps to be closed.
  const gone = new Set(
    order.filter((id) => id % 50n === 7n || (id >= 3000n && id < 3100n) || (id >= 100n && id < 500n)),
  )
  expect(gone.size).toBeGreaterThan(600)
  const leaving = [...gone]
  for (let start = 0; start < leaving.length; start += 250) {
    await writeDeals(
      database.db,
      leaving.slice(start, start + 250).map((id) => ({ record: { id }, partnerId: null })),
      options,
    )
  }
  order = order.filter((id) => !gone.has(id))
})
afterAll(async () => {
  await watched.$client.end()
})

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}

/** Returns how PostgreSQL reads a page: the plan nodes that access a table, and the number of blocks read. */
async function planOf(page: number, size: number) {
  await readPage(watched, partnerId as TenantScope, page, size)
  const { query, parameters } = statement
  const plan = await explain(`explain (analyze, buffers, format json) ${query}`, parameters)
  return { scans: scansOf(plan), blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] }
}

async function explain(query: string, parameters: never[] = []): Promise<PlanNode> {
  const [row] = await database.db.$client.unsafe<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(query, parameters)
  return row!['QUERY PLAN'][0].Plan
}

function scansOf(node: PlanNode): PlanNode[] {
  return [...(node['Relation Name'] === undefined ? [] : [node]), ...(node.Plans ?? []).flatMap(scansOf)]
}

const pagesOf = (size: number) => Math.ceil(order.length / size)

describe.each([
  ['that was freshly loaded', ''],
  ['with fresh statistics', 'vacuum analyze'],
])('a page of a long list %s', (_what, maintenance) => {
  beforeAll(async () => {
    if (maintenance !== '') await database.db.$client.unsafe(maintenance)
  })

  test.each([[1], [10], [25]])('finds %i deals by index alone, at any position', async (size) => {
    for (const page of [
      1,
      2,
      Math.ceil(pagesOf(size) / 2),
      pagesOf(size),
      pagesOf(size) + 1,
      2_147_483_647,
    ]) {
      const { scans } = await planOf(page, size)
      expect(new Set(scans.map((scan) => scan['Relation Name']))).toEqual(
        new Set(['deal_lists', 'deal_gaps', 'deal_places', 'deals']),
      )
      for (const scan of scans) {
        const name = `page ${page}: ${scan['Node Type']} on ${scan['Relation Name']}`
        // The table of lists has one row per partner. While there are few rows, PostgreSQL scans the whole
        // table.
        if (scan['Relation Name'] !== 'deal_lists')
          expect(scan['Node Type'], name).toMatch(/^Index (Only )?Scan$/)
        expect(scan['Actual Rows'] * scan['Actual Loops'], name).toBeLessThanOrEqual(size)
      }
    }
  })

  test('uses the same plan for all pages', async () => {
    await readPage(watched, partnerId as TenantScope, 1, 25)
    const scans = scansOf(await explain(`explain (generic_plan, format json) ${statement.query}`))
    expect(
      scans
        .filter((scan) => scan['Relation Name'] !== 'deal_lists')
        .map((scan) => scan['Node Type'].replace('Only ', '')),
    ).toEqual(['Index Scan', 'Index Scan', 'Index Scan'])
  })

  test('costs the same at the end as at the start', async () => {
    const { blocks: first } = await planOf(1, 25)
    for (const page of [Math.ceil(pagesOf(25) / 2), pagesOf(25)]) {
      const { blocks } = await planOf(page, 25)
      expect(blocks).toBeLessThan(first * 1.2)
    }
    expect(first).toBeLessThan(300)
  })
})
