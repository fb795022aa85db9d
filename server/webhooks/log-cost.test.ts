import { beforeAll, describe, expect, test } from 'vitest'
import { openQueue } from '#e2e/dispatchers.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { type LogFilter, readLog } from './log-store.ts'
import { countPending } from './store.ts'

// Measures the database pages that a page of the log reads.

const { db, makePartner } = await openQueue()

describe('in a log with 100,000 old deliveries', () => {
  let partnerId: PartnerId
  let newest: number
  beforeAll(async () => {
    partnerId = await makePartner()
    // One in ten thousand deliveries failed, ten are waiting, and each deal has twenty.
    await db.$client`
      insert into deliveries (partner_id, kind, sequence, deal_id, state, last_status, created_at, due_at, finished_at)
      select ${partnerId}, case when n % 3 = 0 then 'create' else 'update' end, n, n % 5000, case when n > 99990 then 'waiting' when n % 10000 = 0 then 'failed' else 'delivered' end, case when n > 99990 then null when n % 10000 = 0 then 500 when n % 1000 = 1 then 204 else 200 end,
        now() - (100000 - n) * interval '1 minute', case when n > 99990 then now() end, now() from generate_series(1, 100000) n`
    newest = (await readLog(db, partnerId, { limit: 1 }))[0]!.id
  })

  interface Plan {
    'Actual Rows': number
    'Shared Hit Blocks': number
    'Shared Read Blocks': number
  }

  const day = 86_400_000
  const cases: [string, number, () => Partial<LogFilter>][] = [
    ['the first page', 25, () => ({})],
    ['the next page', 25, () => ({ behind: newest - 25 })],
    ['the last page', 25, () => ({ behind: newest - 99_900 })],
    ['those to one address', 25, () => ({ kind: 'create' })],
    ['the delivered ones', 25, () => ({ state: 'delivered' })],
    ['the failed ones', 9, () => ({ state: 'failed' })],
    ['the waiting ones', 10, () => ({ state: 'waiting' })],
    ['the retrying ones', 0, () => ({ state: 'retrying' })],
    ['those of one deal', 20, () => ({ dealId: 77n })],
    [
      'the failed ones since long ago',
      9,
      () => ({ state: 'failed', since: new Date(Date.now() - 68 * day) }),
    ],
  ]

  const searches: typeof cases = [
    ['those found by name', 25, () => ({ search: { dealIds: [1n, 2n, 3n, 4n, 5n], status: null } })],
    ['those found by nothing', 0, () => ({ search: { dealIds: [], status: null } })],
    ['those with a status', 9, () => ({ search: { dealIds: [], status: 500 } })],
    ['those with a status that most have', 25, () => ({ search: { dealIds: [], status: 200 } })],
    ['those with a status that none has', 0, () => ({ search: { dealIds: [], status: 302 } })],
    ['those with a status or of a deal', 25, () => ({ search: { dealIds: [204n], status: 204 } })],
    [
      'the failed ones found by name or status',
      9,
      () => ({ state: 'failed', search: { dealIds: [500n], status: 500 } }),
    ],
  ]

  test.each(searches)('%s costs little before statistics exist', async (_what, rows, filter) => {
    const { plan, blocks } = await costOf(readLog(db, partnerId, { limit: 25, ...filter() }))
    expect(plan['Actual Rows']).toBe(rows)
    expect(blocks).toBeLessThan(500)
  })

  test('statistics are collected', async () => {
    await db.$client`vacuum analyze deliveries`
  })

  test.each([...cases, ...searches])('%s costs almost nothing', async (_what, rows, filter) => {
    const { plan, blocks } = await costOf(readLog(db, partnerId, { limit: 25, ...filter() }))
    expect(plan['Actual Rows']).toBe(rows)
    expect(blocks).toBeLessThan(filter().search === undefined ? 150 : 500)
  })

  test('counting pending deliveries costs no more than counting a thousand', async () => {
    const failing = await makePartner()
    const count = async () => (await costOf(countPending(db, failing, 'update'))).blocks
    expect(await count()).toBeLessThan(20)
    // Simulates a burst of events for which the planner has no statistics yet.
    await db.$client`
      insert into deliveries (partner_id, kind, sequence, deal_id, state, due_at, step)
      select ${failing}, 'update', n, n, 'waiting', now(), n % 2 from generate_series(1, 20000) n`
    expect(await countPending(db, failing, 'update')).toEqual([{ pending: 1001 }])
    const burst = await count()
    await db.$client`vacuum analyze deliveries`
    expect([burst, await count()].every((blocks) => blocks < 1100)).toBe(true)
  })

  /** Returns a query's plan and the number of blocks it read. */
  async function costOf(query: { toSQL: () => { sql: string; params: unknown[] } }) {
    const { sql, params } = query.toSQL()
    const [row] = await db.$client.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
      `explain (analyze, buffers, format json) ${sql}`,
      params as never[],
    )
    const { Plan: plan } = row!['QUERY PLAN'][0]
    return { plan, blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] }
  }
})
