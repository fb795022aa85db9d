import { beforeAll, describe, expect, test } from 'vitest'
import { makeCalendar, writeCountedDeals } from '#e2e/counted-deals.ts'
import { useDatabase } from '#e2e/use-database.ts'
import type { TenantScope } from '../accounts/partner.ts'
import type { KnownDeal, DealRecord } from '../deals/deal.ts'
import { evidenceOf } from '../deals/evidence.ts'
import { flowFields, flowSteps, currentStepOf, lastStepOf, lastSteps, stepNow } from '../deals/flow.ts'
import { countDeals } from '../search/count-store.ts'
import type { DealFilter } from '../search/wire.ts'
import { classifyStage } from '../stages/stage.ts'
import { dayMs } from '../values/units.ts'
import { type Zone, addDays, utc } from '../values/zone.ts'
import { readFlow, readSlices } from './flow-store.ts'
import { daysOfFlow, monthStarts, periodStarts } from './periods.ts'
import { sliceNames } from './reports-wire.ts'

const now = new Date()
const day = (days: number) => new Date(now.getTime() - days * dayMs).toISOString()

const database = useDatabase()
let tenant: TenantScope
let deals: KnownDeal[]

beforeAll(async () => {
  const edges: Partial<DealRecord>[] = [
    {},
    { createDate: day(-1) },
    { createDate: day(900), siteSurveyCompleted: day(890) },
    { createDate: day(4000), siteSurveyCompleted: day(3990), stage: 'Cancelled' },
    { createDate: day(9), siteSurveyCompleted: day(12) },
    { createDate: day(9), stage: 'Cancelled' },
    { createDate: day(9), permitReceived: day(2), stage: 'Cancelled' },
    { installComplete: day(30), installCompleted: true, stage: 'On hold' },
  ]
  ;({ tenant, deals } = await writeCountedDeals(database.db, { perPartner: 60, edges, now }))
})

const means = () => ({ db: database.db })
const kindOf = (deal: KnownDeal) => classifyStage(deal.stage ?? '').kind

test('periods are whole months until today, preceded by periods of equal length', () => {
  expect(daysOfFlow('3', '2026-03-15')).toEqual({
    now: { from: '2026-01-01', to: '2026-03-15' },
    previous: { from: '2025-10-01', to: '2025-12-31' },
  })
  expect(daysOfFlow('12', '2024-02-29')).toEqual({
    now: { from: '2023-03-01', to: '2024-02-29' },
    previous: { from: '2022-03-01', to: '2023-02-28' },
  })
  expect(periodStarts('2026-03-15')).toEqual([
    '2022-04-01',
    '2024-04-01',
    '2025-04-01',
    '2025-10-01',
    '2026-01-01',
  ])
  expect(monthStarts('2026-03-15').slice(0, 3)).toEqual(['2022-04-01', '2024-04-01', '2024-05-01'])
  expect(monthStarts('2026-03-15').at(-1)).toBe('2026-03-01')
})

// Computes the expected figures independently by reading and sorting all deals.
describe.each([utc, 'America/New_York'] as Zone[])(
  'compared with an independent calculation in %s, the flow report',
  (zone) => {
    const { today, dayText, isPast } = makeCalendar(zone, now)
    const stageOf = (deal: KnownDeal) => classifyStage(deal.stage ?? '')
    const evidence = (deal: KnownDeal) => evidenceOf(deal, stageOf(deal), Date.now())
    const reachNow = (deal: KnownDeal) => lastStepOf(deal, kindOf(deal), evidence(deal), Date.now())
    const stepOf = (deal: KnownDeal) => currentStepOf(deal, evidence(deal), Date.now())?.step
    const daysIn = (deal: KnownDeal) =>
      stepNow(deal, kindOf(deal), evidence(deal), Date.now(), zone)?.days ?? -1

    /** Returns the sorted durations, in days, of the step for deals that completed the step on these days. */
    function daysOf(step: (typeof flowSteps)[number], from: string, to: string, among = deals): number[] {
      return among
        .flatMap((deal) => {
          const { from: first, to: last } = flowFields[step]
          const end = deal[last]
          const needsNoPermit =
            deal.permitRequired === false && deal.permitSubmitted === null && deal.permitReceived === null
          const begin = step === 'install' && needsNoPermit ? deal.ntpApproved : deal[first]
          if (begin === null || end === null || !isPast(end) || !isPast(begin)) return []
          if (step === 'payment' && kindOf(deal) !== 'won') return []
          const [a, b] = [dayText(begin), dayText(end)]
          return a > b || b < from || b > to ? [] : [(Date.parse(b) - Date.parse(a)) / dayMs]
        })
        .toSorted((a, b) => a - b)
    }
    const summaryOf = (sorted: number[]) => ({
      count: sorted.length,
      usual:
        sorted.length < 5
          ? null
          : {
              median: sorted[Math.ceil(sorted.length * 0.5) - 1],
              slow: sorted[Math.ceil(sorted.length * 0.8) - 1],
              count: sorted.length,
            },
    })

    test.each(['3', '12'] as const)('gives the same steps in %s months', async (period) => {
      const figures = await readFlow(means(), { tenant, zone }, now, period)
      expect([figures.today, figures.dealCount]).toEqual([today, deals.length])
      for (const { step, now: current, previous, waiting, slower, months } of figures.steps) {
        const { from, to } = figures.days.now
        expect(current, step).toMatchObject(summaryOf(daysOf(step, from, to)))
        expect(previous, step).toMatchObject(
          summaryOf(daysOf(step, figures.days.previous.from, addDays(from, -1))),
        )
        const inStep = deals.filter((deal) => kindOf(deal) === 'open' && stepOf(deal) === step)
        expect(waiting.count).toBe(inStep.length)
        const usual = summaryOf(daysOf(step, daysOfFlow('12', today).now.from, today)).usual
        expect(slower?.afterDays).toBe(usual?.slow)
        if (slower !== null)
          expect(slower.count).toBe(inStep.filter((deal) => daysIn(deal) > slower.afterDays).length)
        for (const [index, month] of months.entries()) {
          const end = months[index + 1] === undefined ? today : addDays(months[index + 1]!.from, -1)
          expect(month).toEqual({ from: month.from, ...summaryOf(daysOf(step, month.from, end)) })
        }
      }
      expect(figures.slower.count).toBeGreaterThan(0)
    })

    test('counts the deals left out', async () => {
      const { steps, leftOut } = await readFlow(means(), { tenant, zone }, now, '6')
      const open = deals.filter((deal) => kindOf(deal) === 'open')
      const inSteps = steps.reduce((sum, { waiting }) => sum + waiting.count, 0)
      expect(leftOut.stepNotKnown.count).toBe(open.length - inSteps)
      expect(leftOut.notCreated.count).toBe(deals.filter(({ createDate }) => createDate === null).length)
      for (const { count } of Object.values(leftOut)) expect(count).toBeGreaterThan(0)
    })

    test('returns the progress of deals created in a period, each number with a filter', async () => {
      const { cohorts, days, leftOut } = await readFlow(means(), { tenant, zone }, now, '6')
      const mine = deals.filter(({ createDate }) => {
        if (createDate === null || !isPast(createDate)) return false
        return dayText(createDate) >= days.now.from
      })
      const at = (deal: KnownDeal) => (lastSteps as readonly string[]).indexOf(reachNow(deal))
      for (const [index, { reach: name, count, open, lost, ...filters }] of cohorts.entries()) {
        const stopped = mine.filter((deal) => at(deal) === index)
        expect(count, name).toBe(mine.filter((deal) => at(deal) >= index).length)
        expect(open, name).toBe(stopped.filter((deal) => ['open', 'on-hold'].includes(kindOf(deal))).length)
        expect(lost, name).toBe(stopped.filter((deal) => kindOf(deal) === 'lost').length)
        const countOf = async (filter: DealFilter) =>
          (await countDeals(database.db, { tenant, filter, zone })).count
        expect(await countOf(filters.filter), name).toBe(count)
        expect(await countOf(filters.openFilter), name).toBe(open)
        expect(await countOf(filters.lostFilter), name).toBe(lost)
      }
      expect(cohorts[0]!.count + leftOut.reachNotKnown.count).toBe(mine.length)
    })

    // Slices are independent of the zone, so only the first zone tests all of them.
    test.each(zone === utc ? sliceNames : sliceNames.slice(0, 1))(
      'gives the same figures by %s',
      async (slice) => {
        const { values, valueCount } = await readSlices(means(), { tenant, zone }, now, slice, '12')
        const counts = values.map(({ reached }) => reached[0]!.count)
        expect(counts).toEqual(counts.toSorted((a, b) => b - a))
        const all = Map.groupBy(deals, (deal) => deal[slice] ?? '')
        expect(valueCount).toBe(all.size)
        expect(values.length).toBe(Math.min(20, all.size))
        const { now: days } = daysOfFlow('12', today)
        for (const { value, steps: found, filter, reached } of values) {
          const among = all.get(value)!
          for (const step of flowSteps)
            expect(found[step].now, `${value} ${step}`).toEqual(
              summaryOf(daysOf(step, days.from, days.to, among)),
            )
          expect((await countDeals(database.db, { tenant, filter, zone })).count).toBe(among.length)
          const created = among.filter(
            ({ createDate }) => createDate !== null && isPast(createDate) && dayText(createDate) >= days.from,
          )
          expect(reached[0]!.count).toBe(created.filter((deal) => reachNow(deal) !== 'unknown').length)
          for (const { reach: name, count, filter: reachedFilter } of reached)
            expect(
              (await countDeals(database.db, { tenant, filter: reachedFilter, zone })).count,
              `${value} ${name}`,
            ).toBe(count)
        }
      },
    )
  },
)
