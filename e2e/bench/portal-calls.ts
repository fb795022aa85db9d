import { type Database, openDatabase } from '#db/client.ts'
import { everyone } from '#server/access/actor.ts'
import type { TenantScope } from '#server/accounts/partner.ts'
import { findPartner } from '#server/accounts/store.ts'
import { countDeals } from '#server/deals/find/count-store.ts'
import { findDeals } from '#server/deals/find/store.ts'
import { type DealFilter, type DealSort, initialSort } from '#server/deals/find/wire.ts'
import { readMap } from '#server/deals/map/read-map.ts'
import { readBoard, readChoices } from '#server/deals/overview-store.ts'
import { readFlow, readSlices } from '#server/insight/flow/read-flow.ts'
import { readHome } from '#server/insight/home/read-home.ts'
import { readMoney } from '#server/insight/money/read-money.ts'
import { readSlicedTrends, readTrends } from '#server/insight/trends/read-trends.ts'
import { BackgroundQueue } from '#server/protocol/background.ts'
import { utc } from '#server/protocol/zone.ts'

const pageSize = 50
const rounds = 20
const slowestShown = 5

const filters: Record<string, DealFilter> = {
  'all deals': {},
  'a common word': { search: '602' },
  'a letter': { search: 's' },
  'a common word and a letter': { search: 'garcia m' },
  'starts of words that few deals have together': { search: 'w pal' },
  'a rare word': { search: 'zzz' },
  'an absent e-mail address': { search: 'nobody@nowhere.example' },
  'a stage': { stages: ['Permit Submitted'] },
  'an absent stage': { stages: ['Absent'] },
  'an absent state': { states: ['XX'] },
  'an absent person': { people: ['Nobody'] },
  'absent days': { dates: { createDate: { to: '2001-01-01' } } },
  'an absent amount': { amount: { min: 1e9 } },
  'some flags': { flags: { hasBattery: true, hasHoa: true, scopeOfWorkPacket: true } },
  'days that no index has': { dates: { fundingSubmitted: { to: '2001-01-01' } } },
}

const sorts: DealSort[] = (
  ['dealname', 'stage', 'timeInCurrentStage', 'systemSize', 'amount'] as const
).flatMap((field) => [
  { field, direction: 'asc' },
  { field, direction: 'desc' },
])

/** A portal call. */
export interface Call {
  name: string
  run: () => Promise<unknown>
}

/** Filters of the board and the map: common, absent, and without an index. */
const boardFilters = ['a common word', 'an absent state', 'some flags'] as const

/** Returns the calls of the overview, board and map. */
function totalsOf(db: Database, who: string, tenant: TenantScope): Call[] {
  const means = { db, background: new BackgroundQueue({ failed() {}, dropped() {} }).add }
  return [
    {
      name: `${who} opens Home`,
      run: () => readHome(means, { tenant, zone: utc, user: null }, null, new Date()),
    },
    { name: `${who} opens money`, run: () => readMoney(means, tenant, utc, new Date()) },
    { name: `${who} opens flow`, run: () => readFlow(means, tenant, utc, new Date(), '6') },
    {
      name: `${who} opens flow by utility`,
      run: () => readSlices(means, tenant, utc, new Date(), 'utilityName', '6'),
    },
    { name: `${who} opens trends`, run: () => readTrends(means, tenant, utc, new Date(), '6', 'month') },
    {
      name: `${who} opens trends by lender`,
      run: () => readSlicedTrends(means, tenant, utc, new Date(), 'lender', '6'),
    },
    { name: `${who} opens the filters`, run: () => readChoices(means, tenant) },
    { name: `${who} opens the board`, run: () => readBoard(means, { tenant, filter: {}, zone: utc }) },
    ...boardFilters.map((name) => ({
      name: `${who} opens the board of ${name}`,
      run: () => readBoard(means, { tenant, filter: filters[name]!, zone: utc }),
    })),
    ...boardFilters.map((name) => ({
      name: `${who} opens the map of ${name}`,
      run: () => readMap(means, { tenant, filter: filters[name]!, zone: utc }),
    })),
  ]
}

/**
 * Returns the portal calls that find, count and sum deals: for a partner, and for viewers of all partners.
 */
export async function dealCalls(db: Database, slug: string): Promise<Call[]> {
  const partnerId = (await findPartner(db, slug))!.id as TenantScope
  const found = (tenant: TenantScope, filter: DealFilter, sort: DealSort) => async () => {
    const { next } = await findDeals(db, { tenant, filter, zone: utc }, sort, null, pageSize)
    if (next !== null) await findDeals(db, { tenant, filter, zone: utc }, sort, next, pageSize)
  }
  return [
    ...totalsOf(db, 'partner', partnerId),
    ...totalsOf(db, 'operator', everyone),
    ...Object.entries(filters).flatMap(([name, filter]) =>
      (
        [
          ['partner', partnerId],
          ['operator', everyone],
        ] as const
      ).flatMap(([who, tenant]) => [
        { name: `${who} finds ${name}, two pages`, run: found(tenant, filter, initialSort) },
        { name: `${who} counts ${name}`, run: () => countDeals(db, { tenant, filter, zone: utc }) },
      ]),
    ),
    ...sorts.map((sort) => ({
      name: `partner sorts by ${sort.field} ${sort.direction}, two pages`,
      run: found(partnerId, {}, sort),
    })),
  ]
}

/**
 * Times the portal's calls one after another, and reports the slowest. Returns the worst 95th percentile in
 * ms.
 */
export async function timePortalCalls(
  databaseUrl: string,
  makeCalls: (db: Database) => Promise<Call[]>,
  say: (text: string) => void,
): Promise<number> {
  const db = openDatabase(databaseUrl, 1)
  try {
    const timed: { name: string; p95: number }[] = []
    for (const { name, run } of await makeCalls(db)) {
      await run()
      const times: number[] = []
      while (times.length < rounds) {
        const began = performance.now()
        await run()
        times.push(performance.now() - began)
      }
      timed.push({ name, p95: times.toSorted((a, b) => a - b)[Math.ceil(rounds * 0.95) - 1]! })
    }
    const slowest = timed.toSorted((a, b) => b.p95 - a.p95).slice(0, slowestShown)
    for (const { name, p95 } of slowest) say(`${Math.round(p95)} ms: ${name}`)
    return slowest[0]!.p95
  } finally {
    await db.$client.end({ timeout: 5 })
  }
}
