import { scoped } from '../access/procedure.ts'
import { blockers, gates } from '../deals/blocker.ts'
import { flowSteps, lastSteps } from '../deals/flow.ts'
import { z } from '../values/input.ts'
import { ages, certainties, expectedNames, periods } from './expectation.ts'
import { readFlow } from './flow-store.ts'
import { readMoney } from './money-store.ts'
import type { StepUsual } from './periods.ts'
import { type FlowFigures, GetFlow } from './reports-wire.ts'
import { type MoneyFigures, notExpectedNames } from './wire.ts'

const count = z.int().meta({ description: 'Number of deals.', example: 12 })
const amount = z.number().meta({ description: 'Sum of their amounts, in dollars.', example: 369600 })
const day = z.string().meta({ example: '2026-03-01' })

const MoneyReport = z
  .object({
    asOf: z.iso.datetime().meta({ description: 'When the figures were counted.' }),
    today: day.meta({ description: 'The day of the figures, in UTC.' }),
    gates: z.array(
      z.object({
        gate: z.enum(gates).meta({
          description:
            'Where the deals are: before M1; M1 conditions met, not installed; installed, funding not submitted; ' +
            'submitted, M2 not approved; approved, not paid; paid.',
        }),
        count,
        amount,
        ages: z.array(z.object({ days: z.enum(ages), count, amount })).meta({
          description: 'The same deals by how many days they have been there.',
        }),
        holds: z
          .array(z.object({ hold: z.enum(blockers), holder: z.string().nullable(), count, amount }))
          .meta({
            description:
              'The same deals by the one thing that holds them, with the field of the deal that says who has them.',
          }),
      }),
    ),
    expected: z.array(
      z.object({
        what: z.enum(expectedNames),
        certainty: z.enum(certainties).meta({
          description:
            '`scheduled`: the deals have a date; `usual`: after as many days as half of the deals take.',
        }),
        period: z.enum(periods).meta({
          description: 'Periods do not overlap: a deal is expected in one. Weeks end with Sunday.',
        }),
        from: day.nullable(),
        to: day.nullable(),
        count,
        amount,
      }),
    ),
    notExpected: z.array(z.object({ what: z.enum(notExpectedNames), count, amount })).meta({
      description:
        'Open deals that `expected` leaves out: without the dates that say when, `unknown` without saying at which ' +
        'gate they are, `onHold`.',
    }),
    unpriced: count.meta({ description: 'Deals without `amount`: counted, and missing in all dollars.' }),
  })
  .meta({ id: 'MoneyReport', description: 'Where the money of the deals is.' })

const Taken = z.object({
  count,
  median: z.int().nullable().meta({ description: 'Median days.', example: 14 }),
  slow: z.int().nullable().meta({ description: '80th percentile of days.', example: 22 }),
})

const FlowReport = z
  .object({
    asOf: z.iso.datetime().meta({ description: 'When the figures were counted.' }),
    today: day.meta({ description: 'The day of the figures, in UTC.' }),
    from: day.meta({ description: 'The first day of the period, which ends today.' }),
    previousFrom: day.meta({ description: 'The first day of the period before it, with as many months.' }),
    steps: z.array(
      z.object({
        step: z.enum(flowSteps),
        taken: Taken.meta({ description: 'Deals that ended the step in the period.' }),
        previous: Taken.meta({ description: 'Deals that ended it in the period before.' }),
        waiting: count.meta({ description: 'Open deals in the step.' }),
        slower: count.nullable().meta({
          description:
            'Those that have been in it for longer than four of five deals took in the last 12 months; null when ' +
            'fewer than five deals tell it.',
        }),
        months: z
          .array(Taken.extend({ from: day }))
          .meta({ description: 'The last 24 months, oldest first.' }),
      }),
    ),
    reached: z.array(z.object({ reach: z.enum(lastSteps), count, open: count, lost: count })).meta({
      description:
        'How many deals created in the period have come as far as this; `open` and `lost` have come no further.',
    }),
    leftOut: z
      .object({
        undated: count.meta({
          description: 'Deals without a date of a step that they have completed: `taken` lacks that step.',
        }),
        stepNotKnown: count.meta({
          description: 'Open deals in a step that is not known, not in `waiting`.',
        }),
        notCreated: count.meta({ description: 'Deals without `createDate`, not in `reached`.' }),
        reachNotKnown: count.meta({
          description:
            'Deals created in the period whose stage and dates do not say how far they have come, not in `reached`.',
        }),
      })
      .meta({ description: 'Deals that the figures leave out.' }),
  })
  .meta({ id: 'FlowReport', description: 'How long the steps of the deals take.' })

// The output schemas drop the filters and sort orders of the figures.

function moneyReportOf(
  { asOf, today, gates, holds, expected, notExpected, unpriced }: MoneyFigures,
  now: Date,
) {
  return {
    asOf: asOf ?? now.toISOString(),
    today,
    gates: gates.map(({ name: gate, ages, ...figure }) => ({
      ...figure,
      gate,
      ages: ages.map(({ name: days, ...age }) => ({ ...age, days })),
      holds: holds
        .filter((hold) => hold.gate === gate)
        .map(({ name: hold, holders, ...counted }) => ({
          ...counted,
          hold,
          holder: holders.length === 1 ? holders[0]! : null,
        })),
    })),
    expected: expected.map(({ name: what, ...figure }) => ({ ...figure, what })),
    notExpected: notExpected.map(({ name: what, ...figure }) => ({ ...figure, what })),
    unpriced: unpriced.count,
  }
}

const takenOf = ({ count, usual }: StepUsual) => ({
  count,
  median: usual?.median ?? null,
  slow: usual?.slow ?? null,
})

function flowReportOf({ asOf, today, days, steps, cohorts, leftOut }: FlowFigures, now: Date) {
  return {
    asOf: asOf ?? now.toISOString(),
    today,
    from: days.now.from,
    previousFrom: days.previous.from,
    steps: steps.map(({ step, now: current, previous, waiting, slower, months }) => ({
      step,
      taken: takenOf(current),
      previous: takenOf(previous),
      waiting: waiting.count,
      slower: slower?.count ?? null,
      months: months.map((month) => ({ from: month.from, ...takenOf(month) })),
    })),
    reached: cohorts.map(({ reach, count, open, lost }) => ({ reach, count, open, lost })),
    leftOut: {
      undated: leftOut.undated.count,
      stepNotKnown: leftOut.stepNotKnown.count,
      notCreated: leftOut.notCreated.count,
      reachNotKnown: leftOut.reachNotKnown.count,
    },
  }
}

export const insightOperations = {
  moneyReport: scoped('insight:read')
    .meta({
      isLong: true,
      openapi: {
        method: 'GET',
        path: '/api/insight/money',
        operationId: 'getMoney',
        tags: ['Insight'],
        summary: 'Get money figures',
        description:
          'Where the money of the deals is: count and dollars of the deals at each gate, by age and by what holds ' +
          'them, and what is expected next. The same figures as on the page Money of the portal, by the days of UTC.',
      },
    })
    .input(z.void())
    .output(MoneyReport)
    .query(async ({ ctx: { services, actor } }) => {
      const now = new Date()
      return moneyReportOf(await readMoney(services, actor, now), now)
    }),

  flowReport: scoped('insight:read')
    .meta({
      isLong: true,
      openapi: {
        method: 'GET',
        path: '/api/insight/flow',
        operationId: 'getFlow',
        tags: ['Insight'],
        summary: 'Get flow figures',
        description:
          'How long each step between milestones takes, how many open deals are in it, and how far the deals of a ' +
          'period have come. The same figures as on the page Flow of the portal, by the days of UTC.',
      },
    })
    .input(GetFlow)
    .output(FlowReport)
    .query(async ({ ctx: { services, actor }, input: { months } }) => {
      const now = new Date()
      return flowReportOf(await readFlow(services, actor, now, months), now)
    }),
}
