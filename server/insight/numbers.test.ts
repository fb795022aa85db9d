import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoPartners } from '#db/demo/demo.ts'
import { sparsePartners } from '#db/demo/sparse.ts'
import type { TestDatabase } from '#db/test-database.ts'
import { createDemoDatabase } from '#e2e/demo-database.ts'
import { temporaryDirectory } from '#e2e/system.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { findPartner } from '../accounts/store.ts'
import { openGates } from '../deals/blocker.ts'
import type { FlowStep } from '../deals/flow.ts'
import { countDeals } from '../search/count-store.ts'
import type { DealFilter } from '../search/wire.ts'
import { type Zone, addDays } from '../values/zone.ts'
import { readFlow, readUsualSteps } from './flow-store.ts'
import { readMoney } from './money-store.ts'
import { weekOf } from './periods.ts'
import { readNews } from './read-home.ts'
import { readTrends } from './trends-store.ts'
import { readWeek } from './week.ts'

// Each number in the portal equals the length of the list that it links to, for complete and for sparse demo
// deals.

let database: TestDatabase
let dataDir: string
beforeAll(async () => {
  dataDir = await temporaryDirectory()
  database = await createDemoDatabase(dataDir)
}, 120_000)
afterAll(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true })
})

const means = () => ({ db: database.db, config: { eventRetentionDays: 90 } })

interface Counted {
  what: string
  count: number
  filter: DealFilter
}

/** Returns all deal counts in figures, each with the filter of its list. */
function countedIn(figures: unknown, path = ''): Counted[] {
  if (typeof figures !== 'object' || figures === null) return []
  const { count, filter } = figures as Partial<Counted>
  const own = typeof count === 'number' && filter !== undefined ? [{ what: path, count, filter }] : []
  return [
    ...own,
    ...Object.entries(figures).flatMap(([name, value]) =>
      name === 'filter' ? [] : countedIn(value, `${path} ${name}`),
    ),
  ]
}

async function expectLists(tenant: TenantScope, zone: Zone, counted: Counted[]): Promise<void> {
  const lists = await Promise.all(
    counted.map(async ({ what, filter }) => ({
      what,
      count: (await countDeals(database.db, { tenant, filter, zone })).count,
    })),
  )
  expect(lists).toEqual(counted.map(({ what, count }) => ({ what, count })))
}

const sumOf = (counted: { count: number }[]) => counted.reduce((sum, { count }) => sum + count, 0)

const slugs = [...demoPartners, ...sparsePartners].map(({ slug }) => slug)
// Two zones on either side of UTC.
const zones = ['America/Los_Angeles', 'Pacific/Kiritimati'] as Zone[]

describe.each(zones)('in the time zone %s', (zone) => {
  const now = new Date()

  /** Returns the report of the week that many days ago. */
  const readWeekOf = (tenant: TenantScope, days: number) =>
    readWeek(means(), { tenant, zone }, weekOf(addDays(now.toISOString().slice(0, 10), -days)), now)

  async function expectNumbers(tenant: TenantScope, counted: Counted[] = []) {
    const [money, flow, trends] = [
      await readMoney(means(), { tenant, zone }, now),
      await readFlow(means(), { tenant, zone }, now, '12'),
      await readTrends(means(), { tenant, zone }, now, '12', 'month'),
    ]
    const weekly = await Promise.all([0, 7, 14, 100].map((days) => readWeekOf(tenant, days)))
    // Events are kept for 90 days, so the oldest week has fewer figures.
    expect(weekly.map(({ moved }) => moved.length)).toEqual([4, 4, 4, 2])
    const all = [
      ...counted,
      { what: 'deals', count: weekly[0]!.dealCount, filter: {} },
      ...countedIn(money, 'money'),
      ...countedIn(flow, 'flow'),
      ...countedIn(trends.leftOut, 'trends'),
      ...countedIn(weekly, 'weeks'),
    ]
    expect(all.length).toBeGreaterThan(40)
    // Expected, unexpected and excluded deals add up to all open deals.
    const { count: open } = await countDeals(database.db, { tenant, filter: { isOpen: true }, zone })
    const gated: DealFilter = { isOpen: true, gates: [...openGates] }
    // Service tickets are never paid.
    const unpaid = await countDeals(database.db, { tenant, filter: gated, zone })
    expect(sumOf([...money.expected, ...money.notExpected])).toBe(unpaid.count)
    // The Money page, the deal page and the Flow page show the same duration of a step.
    const durations = await readUsualSteps(means(), { tenant, zone }, now)
    const flowUsual = (name: FlowStep) => flow.steps.find(({ step }) => step === name)!.now.usual
    expect([money.usual.submission, money.usual.payment]).toEqual(
      // For all partners together there are no durations, because each deal uses those of its partner.
      tenant === everyone ? [null, null] : [flowUsual('funding'), flowUsual('payment')],
    )
    expect([durations.funding, durations.payment]).toEqual([flowUsual('funding'), flowUsual('payment')])
    // Each unpaid deal has exactly one blocker, and the Money and Week pages show the same counts.
    for (const { holds } of weekly) expect(holds).toEqual(money.holds)
    expect(sumOf(money.holds)).toBe(unpaid.count)
    const onHold = await countDeals(database.db, { tenant, filter: { isOnHold: true }, zone })
    const inSteps = sumOf(flow.steps.map(({ waiting }) => waiting))
    expect(inSteps + flow.leftOut.stepNotKnown.count + onHold.count).toBe(open)
    await expectLists(tenant, zone, all)
  }

  // The deals of all partners cover the other zone, so only the first zone tests each partner.
  test.each(zone === zones[0] ? slugs : slugs.slice(0, 1))(
    'each number of %s equals the length of its list, including changes since the last visit',
    async (slug) => {
      const partnerId: PartnerId = (await findPartner(database.db, slug))!.id
      const news = await readNews(database.db, { tenant: partnerId, zone, user: null }, {}, now)
      const [, updated, moved] = news.counts.map(({ count }) => count)
      // Moved deals also count as updated.
      expect(moved).toBeLessThanOrEqual(updated!)
      expect(updated).toBeGreaterThan(0)
      await expectNumbers(partnerId, countedIn(news, 'news'))
    },
  )

  test('each number for all partners equals its list', () => expectNumbers(everyone))

  test('the changes of all partners together are the sum of the changes of each partner', async () => {
    // Most demo changes happened in the last days: this week or, early in the week, in the previous one.
    const [current, last] = await Promise.all([0, 7].map((days) => readWeekOf(everyone, days)))
    const [all, daysAgo] = current!.lines.length < last!.lines.length ? [last!, 7] : [current!, 0]
    const partners = await Promise.all(slugs.map(async (slug) => (await findPartner(database.db, slug))!.id))
    const weeks = await Promise.all(partners.map((id: PartnerId) => readWeekOf(id, daysAgo)))
    for (const name of ['new', 'moved'] as const) {
      const count = sumOf(weeks.flatMap(({ moved }) => moved.filter((figure) => figure.name === name)))
      expect(all.moved.find((figure) => figure.name === name)).toMatchObject({ count, isMore: false })
      expect(count).toBeGreaterThan(0)
    }
    const lines = weeks.flatMap((week) => week.lines)
    const newestTime = lines
      .map(({ time }) => time)
      .toSorted()
      .at(-1)
    expect(all.lines).toHaveLength(10)
    expect(lines.filter(({ time }) => time === newestTime)).toContainEqual(all.lines[0])
  })
})
