import { beforeAll, describe, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { useDatabase } from '#e2e/use-database.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { type DealBlocker, blockerOf, sinceFields } from '../deals/blocker.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { KnownDeal, DealRecord } from '../deals/deal.ts'
import { nextStepOf } from '../deals/next-step.ts'
import { parseKnown } from '../deals/render.ts'
import { findFirst } from '../search/store.ts'
import { type DealFilter, initialSort } from '../search/wire.ts'
import { classifyStage } from '../stages/stage.ts'
import { dayMs } from '../values/units.ts'
import { type Zone, addDays, dayNumberOf, dayOf, utc } from '../values/zone.ts'
import { ages, daysOfPeriod, periods } from './expectation.ts'
import { readMoney } from './money-store.ts'

const database = useDatabase()
let tenant: TenantScope
let deals: KnownDeal[]
const now = new Date()
const day = (days: number) => new Date(now.getTime() - days * dayMs).toISOString()

let last = 1n
const write = (partnerId: number, records: DealRecord[]) =>
  writeDeals(
    database.db,
    records.map((record) => ({ record, partnerId })),
    { now, events: false },
  )

async function makePartner(records: Partial<DealRecord>[]): Promise<TenantScope> {
  const { id } = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!
  await write(
    id,
    records.map((record) => ({ id: ++last, ...record })),
  )
  return id as TenantScope
}

const surveyed = { siteSurveyCompleted: day(70), createDate: day(80) }
const m1 = { ...surveyed, ntpApproved: day(50) }
const installed = { ...m1, installComplete: day(10) }
const submitted = { ...installed, fundingSubmitted: day(5) }
const edges: Partial<DealRecord>[] = [
  {},
  { createDate: day(-3) },
  { createDate: day(5), hasHoa: true },
  surveyed,
  { ...surveyed, cadRequested: day(60) },
  { ...surveyed, cadCompleted: day(60), engineeringCompleted: day(-1) },
  { ntpApproved: day(50) },
  { ntpApproved: day(-2), siteSurveyCompleted: day(1) },
  m1,
  { ...m1, hasHoa: true },
  { ...m1, hoaApprovedDate: day(-4) },
  { ...m1, permitRequired: true },
  { ...m1, permitSubmitted: day(20), expectedPermitDeliveryDate: day(1) },
  { ...m1, permitRequired: true, permitReceived: day(5), installedScheduled: day(-6) },
  { ...m1, installedScheduled: day(3) },
  { ...m1, installedScheduled: day(0) },
  { ...m1, installedScheduled: day(3), installComplete: day(-3) },
  { ...m1, inspectionRequested: day(2) },
  { ...m1, fundingSubmitted: day(2) },
  { ...m1, installCompleted: true },
  installed,
  { ...installed, inspectionRequired: true },
  { ...installed, inspectionRequested: day(3) },
  { ...installed, inspectionRequested: day(-3) },
  { ...installed, inspectionRequired: true, inspectionResults: 'Passed' },
  { ...installed, inspectionRequired: true, inspectionResults: ' failed: no label' },
  { ...installed, inspectionResults: 'Failed', reInspectionResults: 'Passed', hasOutstandingItems: true },
  { ...installed, inspectionResults: 'Passed', reInspectionRequested: day(-2) },
  { ...installed, inspectionResults: 'Failed', reInstallScheduled: day(4) },
  { ...installed, inspectionRequested: day(6), inspectionResults: 'Failed', reInstallScheduled: day(4) },
  { ...installed, inspectionRequested: day(2), reInstallScheduled: day(4) },
  { ...installed, reInstallScheduled: day(4), fundingSubmitted: day(1) },
  { ...installed, hasOutstandingItems: true, inspectionRequired: true },
  { ...installed, stage: 'On Hold' },
  { ...installed, stage: 'Cancelled' },
  { ...installed, installComplete: day(200) },
  { ...installed, installComplete: day(0) },
  submitted,
  { ...submitted, stage: 'On hold', hasOutstandingItems: true },
  { ...submitted, inspectionRequired: true },
  { ...submitted, inspectionResults: 'Failed' },
  { ...submitted, fundingSubmitted: day(-1) },
  { ...submitted, m2Approved: true },
  { ...submitted, stage: 'Awaiting PTO' },
  { ...submitted, stage: 'Awaiting PTO', ixCoordinator: { firstName: 'Ines' } as KnownDeal['ixCoordinator'] },
  { m2Approved: true },
  { ...submitted, m2Approved: true, stage: 'Funded', timeInCurrentStage: day(2) },
  { stage: 'Funded', timeInCurrentStage: day(40) },
  { stage: 'Complete' },
  { ...submitted, stage: 'Lost', timeInCurrentStage: day(2) },
  { ...installed, stage: '', amount: 12.5 },
  { ...submitted, m2Approved: true, stage: 'Service Scheduled', pipeline: 'Service', amount: 9 },
  { ...submitted, stage: 'On Hold', pipeline: 'Service' },
  { ...submitted, stage: 'Service Complete', pipeline: 'Service' },
  { ...submitted, stage: 'Service Complete', pipeline: 'Residential' },
]

beforeAll(async () => {
  const demo = demoPartners.flatMap((partner, index) => [
    ...demoDeals({ partner, count: 150, firstId: BigInt(10_000_000 * (index + 1)), now }),
  ])
  tenant = await makePartner([...demo, ...edges])
  await makePartner(edges)
  deals = await find(tenant, {})
})

const means = () => ({ db: database.db })

const find = async (whose: TenantScope, filter: DealFilter, zone = utc) =>
  (await findFirst(database.db, { tenant: whose, filter, zone }, initialSort, 5000)).map(({ json, given }) =>
    parseKnown(json, given),
  )

const standingOf = (deal: KnownDeal): DealBlocker | null =>
  blockerOf(deal, classifyStage(deal.stage ?? ''), Date.now())

const ids = (list: KnownDeal[]) => list.map(({ id }) => id).toSorted()

describe.each([utc, 'America/Los_Angeles', 'Pacific/Kiritimati'] as Zone[])(
  'the Money page with days in %s',
  (zone) => {
    const ageOf = (deal: KnownDeal, gate: keyof typeof sinceFields) => {
      const since = deal[sinceFields[gate]]
      if (since === null) return 'unknown'
      const days = dayNumberOf(new Date(), zone) - dayNumberOf(since, zone)
      return ages[[7, 14, 30, 60].findIndex((end) => days <= end)] ?? 'over-60'
    }

    test('counts each deal as its timeline shows, and each number as its filter does', async () => {
      const figures = await readMoney(means(), { tenant, zone }, now)
      const standings = deals.map((deal) => ({ deal, standing: standingOf(deal) }))
      for (const { name, count, amount, filter, ages: aged } of figures.gates) {
        const wanted = standings.filter(({ standing }) => standing?.gate === name).map(({ deal }) => deal)
        expect(ids(await find(tenant, filter, zone)), name).toEqual(ids(wanted))
        expect(count).toBe(wanted.length)
        expect(amount).toBeCloseTo(
          wanted.reduce((sum, deal) => sum + (deal.amount ?? 0), 0),
          2,
        )
        for (const age of aged) {
          const ofAge = wanted.filter((deal) => ageOf(deal, name) === age.name)
          expect([age.name, age.count]).toEqual([age.name, ofAge.length])
          expect(ids(await find(tenant, age.filter, zone)), `${name} ${age.name}`).toEqual(ids(ofAge))
        }
      }
      for (const { gate, name, count, filter, holders } of figures.holds) {
        const wanted = standings.filter(({ standing }) => standing?.gate === gate && standing.hold === name)
        expect(ids(await find(tenant, filter, zone)), `${gate} ${name}`).toEqual(
          ids(wanted.map(({ deal }) => deal)),
        )
        expect(count).toBe(wanted.length)
        // The pages of these deals name nobody else. If the reason is unknown, only the deal may name the
        // assignee.
        const named = wanted.flatMap(({ standing }) => standing?.holder ?? [])
        expect(holders, `${gate} ${name}`).toEqual(name === 'unknown' ? [] : expect.arrayContaining(named))
      }
      expect(figures.holds.reduce((sum, { count }) => sum + count, 0)).toBe(
        standings.filter(({ standing }) => standing !== null && standing.gate !== 'paid').length,
      )
    })

    test('a deal is late exactly if its timeline is late', async () => {
      const late = deals.filter(
        (deal) => nextStepOf(deal, classifyStage(deal.stage ?? ''), Date.now(), zone)?.kind === 'late',
      )
      expect(late.length).toBeGreaterThan(0)
      expect(ids(await find(tenant, { isLate: true }, zone))).toEqual(ids(late))
    })
  },
)

test('service tickets are excluded from all money figures', async () => {
  const records = [
    { stage: 'Service Scheduled', pipeline: 'Service', amount: 9 },
    { stage: 'On Hold', pipeline: 'Service', amount: 9 },
    { stage: 'Service Complete', pipeline: 'Service' },
    { ...submitted, stage: 'M2 Approval', pipeline: 'Residential', amount: 5 },
  ]
  const mine = await makePartner(records)
  const money = await readMoney(means(), { tenant: mine, zone: utc }, now)
  expect(money.gates.filter(({ count }) => count > 0)).toMatchObject([
    { name: 'approve', count: 1, amount: 5 },
  ])
  expect(money.notExpected.map(({ name }) => name)).not.toContain('onHold')
  expect(money.unpriced.count).toBe(0)
  const [ticket] = await find(mine, { pipelines: ['Service'] })
  expect(standingOf(ticket!)).toBeNull()
})

test('the usual duration is the median of recent durations, ignoring dates out of order', async () => {
  const took = [3, 5, 4, 40, 4, 8].map((days) => ({
    ntpApproved: day(60),
    installComplete: day(60 - days),
  }))
  const whose = await makePartner([
    ...took,
    { ntpApproved: day(10), installComplete: day(30) },
    { ntpApproved: day(900), installComplete: day(500) },
    { ntpApproved: day(900), installComplete: day(-9) },
  ])
  const { usual } = await readMoney(means(), { tenant: whose, zone: utc }, now)
  expect(usual).toEqual({
    m1: null,
    install: { median: 4, slow: 8, count: 6 },
    submission: null,
    payment: null,
  })
})

test('payments are expected by the deal’s date, or after the usual days', async () => {
  const done = Array.from({ length: 5 }, () => ({
    ...installed,
    installComplete: day(100),
    fundingSubmitted: day(92),
    stage: 'Funded',
    timeInCurrentStage: day(82),
  }))
  const whose = await makePartner([
    ...done,
    { ...m1, stage: 'Install Scheduled', installedScheduled: day(-13) },
    { ...m1, stage: 'Install Scheduled', installedScheduled: day(-14) },
    { ...m1, stage: 'Install Scheduled', installedScheduled: day(1) },
    { ...m1, installedScheduled: day(-1), stage: 'On Hold' },
    { ...installed, stage: 'Inspection', installComplete: day(8), amount: 100 },
    { ...installed, stage: 'Inspection', installComplete: day(9) },
    { ...submitted, stage: 'M2 Approval', fundingSubmitted: day(1), amount: 7 },
    { ...submitted, stage: 'M2 Approval', fundingSubmitted: day(2), m2Approved: true },
  ])
  const { expected, today } = await readMoney(means(), { tenant: whose, zone: utc }, now)
  const tell = (...wanted: string[]) =>
    expected
      .filter(({ period, count }) => wanted.includes(period) && count > 0)
      .map(({ name, certainty, count, amount }) => [name, certainty, count, amount])
  const ahead = expected.filter(({ period, count }) => period !== 'overdue' && count > 0)
  const sum = (name: string) =>
    ahead
      .filter((each) => each.name === name)
      .reduce((all, { count, amount }) => [all[0]! + count, all[1]! + amount], [0, 0])
  expect(sum('install')).toEqual([2, 0])
  expect(sum('submission')).toEqual([1, 100])
  expect(sum('payment')).toEqual([2, 7])
  expect(tell('overdue')).toEqual([
    ['install', 'scheduled', 1, 0],
    ['submission', 'usual', 1, 0],
  ])
  expect(today).toBe(dayOf(now, utc))
})

test.each(['2026-02-11', '2026-02-28', '2028-02-29', '2026-03-01', '2026-11-23', '2026-12-27', '2026-12-31'])(
  'from %s on, each day is in exactly one period',
  (today) => {
    for (let days = -40; days < 100; days++) {
      const day = addDays(today, days)
      const having = periods.filter((period) => {
        const span = daysOfPeriod(period, today)
        return span !== null && (span.from ?? day) <= day && day <= (span.to ?? day)
      })
      expect(having, day).toHaveLength(1)
      expect(having[0] === 'overdue', day).toBe(days < 0)
    }
  },
)

test('weeks end on Sunday, and "later this month" contains the remaining days', () => {
  const spans = (today: string) => periods.slice(1).map((period) => daysOfPeriod(period, today))
  expect(spans('2026-11-25')).toEqual([
    { from: '2026-11-25', to: '2026-11-29' },
    { from: '2026-11-30', to: '2026-12-06' },
    null,
    { from: '2026-12-07', to: '2026-12-31' },
    { from: '2027-01-01', to: null },
  ])
  expect(spans('2026-02-02')).toEqual([
    { from: '2026-02-02', to: '2026-02-08' },
    { from: '2026-02-09', to: '2026-02-15' },
    { from: '2026-02-16', to: '2026-02-28' },
    { from: '2026-03-01', to: '2026-03-31' },
    { from: '2026-04-01', to: null },
  ])
})
