import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '#db/client.ts'
import type { TestDatabase } from '#db/test-database.ts'
import { entriesReadBy, rowsReadBy } from '#db/test-reads.ts'
import { useDatabase } from '#e2e/use-database.ts'
import { everyone } from '../access/actor.ts'
import type { TenantScope, PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { DealRecord } from '../deals/deal.ts'
import { narrowMax } from '../deals/policy.ts'
import { utc } from '../values/zone.ts'
import { conditionOf } from './condition-store.ts'
import { countDeals } from './count-store.ts'
import { type StageTotal, countByStage } from './overview-store.ts'
import { findDeals } from './store.ts'
import type { DealFilter, DealSort } from './wire.ts'

// Measures the cost of finding and counting in the database. One partner has 80,000 deals, and 20 others have
// 100 each. The writer wrote 200 deals; the rest are copies.

const [written, copies, othersCount] = [200, 400, 20]
const database = useDatabase()
let watched: TestDatabase['db']
let large: PartnerId

const record = (index: number): DealRecord => ({
  id: BigInt(index),
  dealname: `Common ${index % 7}`,
  stage: `Stage ${index % 5}`,
  state: ['AZ', 'CA', 'NV'][index % 3]!,
  amount: index * 100,
  systemSize: `${index % 17} kW`,
  hasBattery: index % 2 === 0,
  createDate: new Date(Date.UTC(2024, 0, 1 + index)).toISOString(),
  timeInCurrentStage: new Date(Date.UTC(2025, 0, 1 + index)).toISOString(),
  lastModified: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
  projectManager: {
    id: 1n,
    firstName: 'Pat',
    lastName: `Manager ${index % 3}`,
    email: `pat${index % 3}@example.com`,
  } as never,
})

beforeAll(async () => {
  const { $client: sql } = database.db
  const filler = openDatabase(database.url, 1, { statement_timeout: '0' })
  // A pool of one connection, so its statistics cover exactly these calls.
  watched = openDatabase(database.url, 1)
  large = (await insertPartner(database.db, 'large', 'A large partner'))!.id as PartnerId
  const others = await Promise.all(
    Array.from(
      { length: othersCount },
      async (_, index) => (await insertPartner(database.db, `small-${index}`, 'Small'))!.id,
    ),
  )
  await writeDeals(
    database.db,
    Array.from({ length: written }, (_, index) => ({ record: record(index), partnerId: large })),
    { now: new Date(0), events: false },
  )
  await sql`vacuum analyze`
  const columns = (
    await sql<{ name: string }[]>`
      select attname as name from pg_attribute
      where attrelid = 'deals'::regclass and attnum > 0 and not attisdropped and attname not in ('id', 'partner_id')`
  ).map(({ name }) => `"${name}"`)
  // Keeps statistics stale, as they are after every import.
  await sql`alter table deals set (autovacuum_enabled = off)`
  const copy = (ids: string, partner: string, count: number) =>
    filler.$client.unsafe(`
      insert into deals (id, partner_id, ${columns.join(',')})
      select ${ids}, ${partner}, ${columns.join(',')} from (select * from deals where id < ${written}) deals, generate_series(1, ${count}) copy`)
  await copy(`id + copy * 1000`, String(large), copies - 1)
  await copy(`id + copy * 1000 + 10000000`, `(array[${others.join(',')}])[1 + copy % ${othersCount}]`, 10)
  await filler.$client.end()
  await sql`update deal_lists set deal_count = ${written * copies} where id = ${large}`
  await sql`update deal_lists set deal_count = ${written * copies + 2000} where id = 0`
}, 120_000)
afterAll(async () => {
  await watched.$client.end()
})

const rowsOf = (work: () => Promise<unknown>) => rowsReadBy(watched, 'deals', work)

const filters: Record<string, DealFilter> = {
  'all deals': {},
  'a common word': { search: 'common' },
  'an absent word': { search: 'zanzibar' },
  'an id': { search: '77' },
  "part of a person's e-mail address": { search: 'pat1@' },
  'an absent e-mail address': { search: 'nobody@nowhere.example' },
  'a stage': { stages: ['Stage 1'] },
  'an absent stage': { stages: ['Absent'] },
  'no stage': { stages: [''] },
  'an absent state': { states: ['XX'] },
  'an absent person': { people: ['Nobody'] },
  'days without a deal': { dates: { createDate: { from: '2001-01-01', to: '2001-01-02' } } },
  'days of some deals': { dates: { createDate: { from: '2024-01-03', to: '2024-01-04' } } },
  'a date that is missing': { missing: ['timeInCurrentStage'] },
  'days in a stage': {
    stages: ['Stage 1'],
    dates: { timeInCurrentStage: { from: '2025-01-03', to: '2025-01-08' } },
  },
  'a role that a person does not have': { people: ['Pat Manager 1'], roles: ['owner'] },
  'deals of a user': { isMine: true, viewerEmail: 'pat1@example.com' },
  'an absent amount': { amount: { min: 1e9 } },
  'what no index has': { present: ['fundingSubmitted'] },
  'flags that no deal has': { flags: { hasBattery: true, hasHoa: true } },
  'a common word with what no index has': { search: 'common', present: ['fundingSubmitted'] },
  'a stage with what no index has': { stages: ['Stage 2'], flags: { hasBattery: true } },
  'lost deals': { isLost: true },
  'new deals': { news: { new: { from: '2026-01-01' } } },
  'deals that moved': { news: { moved: { from: '2026-01-01', to: '2026-01-07' } } },
}

const sorts: DealSort[] = [
  { field: 'lastModified', direction: 'desc' },
  { field: 'timeInCurrentStage', direction: 'asc' },
  { field: 'dealname', direction: 'asc' },
  { field: 'stage', direction: 'desc' },
  { field: 'amount', direction: 'desc' },
]

const pageSize = 50
// Out of 84,000 rows, so a full scan would exceed the limit.
const rowsMax = 62_000

/** Totals computed by a full scan, which do not depend on statistics. */
const scanned = new Map<string, Promise<Map<string, { count: number; amount: number }>>>()

function totalsOf(tenant: TenantScope, filter: DealFilter) {
  const key = JSON.stringify([tenant, filter])
  const totals = scanned.get(key) ?? scanTotals(tenant, filter)
  scanned.set(key, totals)
  return totals
}

async function scanTotals(tenant: TenantScope, filter: DealFilter) {
  const { $client: sql } = watched
  const totals = await sql<{ stage: string; count: number; amount: number }[]>`
    select coalesce(stage, '') as stage, count(*)::integer as count, sum(amount)::float8 as amount
    from deals where ${conditionOf(sql, { tenant, filter, zone: utc })} group by 1`
  return new Map(totals.map(({ stage, ...total }) => [stage, total]))
}

describe.each([
  ['stale', ''],
  ['fresh', 'analyze'],
  ['no', "delete from pg_statistic where starelid = 'deals'::regclass"],
])('with %s statistics', (_what, maintenance) => {
  beforeAll(async () => {
    if (maintenance !== '') await database.db.$client.unsafe(maintenance)
  })

  describe.each(Object.entries(filters))('with the filter %s', (_name, filter) => {
    test('counts read a limited number of rows', async () => {
      for (const tenant of [large, everyone])
        expect(await rowsOf(() => countDeals(watched, { tenant, filter, zone: utc }))).toBeLessThanOrEqual(
          rowsMax,
        )
    })

    test('counts by stage read a limited number of rows, and are exact unless marked as incomplete', async () => {
      for (const tenant of [large, everyone]) {
        let counted: StageTotal[] = []
        const rows = await rowsOf(
          async () => (counted = await countByStage(watched, { tenant, filter, zone: utc })),
        )
        expect(rows).toBeLessThanOrEqual(rowsMax)
        const all = await totalsOf(tenant, filter)
        for (const stage of all.keys()) expect(counted.map((each) => each.stage)).toContain(stage)
        for (const { stage, count, isMore, amount } of counted) {
          const whole = all.get(stage) ?? { count: 0, amount: 0 }
          expect(count).toBeLessThanOrEqual(whole.count)
          expect({ count, amount }).toEqual(isMore ? { count, amount: null } : whole)
        }
      }
    })

    test('searches read a limited number of rows, in any order', async () => {
      for (const sort of sorts) {
        const rows = await rowsOf(() =>
          findDeals(watched, { tenant: large, filter, zone: utc }, sort, null, pageSize),
        )
        expect({ ...sort, rows: rows <= rowsMax || rows }).toEqual({ ...sort, rows: true })
      }
    })
  })
})

test.each([
  ['a word that most deals have', 'deals_words_index', { search: 'common' }],
  ['a common and a rare word', 'deals_words_index', { search: 'common zanzibar' }],
  [
    'people named on most deals',
    'deals_people_index',
    { people: ['Pat Manager 0', 'Pat Manager 1', 'Pat Manager 2'] },
  ],
])('an index that collects all matches is not used for many deals: %s', async (_name, index, filter) => {
  const sort: DealSort = { field: 'lastModified', direction: 'desc' }
  for (const tenant of [large, everyone]) {
    for (const work of [
      () => countDeals(watched, { tenant, filter, zone: utc }),
      () => countByStage(watched, { tenant, filter, zone: utc }),
      () =>
        findDeals(
          watched,
          { tenant, filter: { ...filter, present: ['fundingSubmitted'] }, zone: utc },
          sort,
          null,
          pageSize,
        ),
    ])
      expect(await entriesReadBy(watched, 'deals', index, work)).toBeLessThanOrEqual(narrowMax)
  }
})

test('lost deals of a long list are counted exactly, because they have their own index', async () => {
  expect(await countDeals(watched, { tenant: large, filter: { isLost: true }, zone: utc })).toEqual({
    count: 0,
    isMore: false,
    amount: 0,
    withoutAmount: 0,
  })
})

test('moved deals are found without reading other updates of those days', async () => {
  await database.db.$client`
    insert into events (partner_id, sequence, type, deal_id, created_at, body)
    select ${large}, number, 'deal.updated', 1000 + number % ${written}, '2026-01-02',
      '{"changes":[{"field":"' || case number when 7 then 'stage' else 'city' end || '","from":"a","to":"b"}]}'
    from generate_series(1, 3000) number`
  await database.db.$client`analyze events`
  const filter: DealFilter = { news: { moved: { from: '2026-01-01', to: '2026-01-07' } } }
  for (const tenant of [large, everyone]) {
    let count = 0
    const work = async () => ({ count } = await countDeals(watched, { tenant, filter, zone: utc }))
    expect(await rowsReadBy(watched, 'events', work)).toBeLessThan(100)
    expect(count).toBe(1)
  }
})
