import { type LastStep, type FlowStep, flowSteps, lastSteps } from '../../deals/milestones/flow.ts'
import type { DealFilter, DealSort } from '../../search/wire.ts'
import { z } from '../../values/input.ts'
import { type DaySpan, flowPeriods } from '../period.ts'
import type { StepUsual } from '../usual.ts'

/** The fields by whose values the flow figures can be grouped. */
export const sliceNames = ['utilityName', 'city', 'stage', 'closerName', 'pipeline'] as const
export type SliceName = (typeof sliceNames)[number]

/** Figures of each step in a period and in the previous period. */
export type PeriodSteps = Record<FlowStep, { now: StepUsual; previous: StepUsual }>

/** A list of deals, defined by a filter. */
interface List {
  filter: DealFilter
  sort: DealSort
}

/** The figures of one step. */
export interface StepFigure {
  step: FlowStep
  /** Durations of the steps completed in this period and in the previous one. */
  now: StepUsual & List
  previous: StepUsual & List
  /** Open deals in the step, and how many have been there longer than the 80th percentile. */
  waiting: { count: number } & List
  slower: ({ count: number; afterDays: number } & List) | null
  /** Durations by the month in which the step was completed. The current month is last. */
  months: ({ from: string } & StepUsual)[]
}

/** Number of deals created in a period that reached this step, and of those that got no further. */
export interface CohortFigure {
  reach: LastStep
  count: number
  /** Number of deals that are still open. */
  open: number
  lost: number
  filter: DealFilter
  openFilter: DealFilter
  lostFilter: DealFilter
}

type LeftOutOfFlow = 'undated' | 'stepNotKnown' | 'notCreated' | 'reachNotKnown'

/** The flow figures of the tenant's deals. */
export interface FlowFigures {
  /** Time of the figures (ISO 8601) if they are older than the list, otherwise null. */
  asOf: string | null
  /** The day of the figures, such as `2026-03-01`. */
  today: string
  /** Number of all deals. */
  dealCount: number
  days: { now: DaySpan; previous: DaySpan }
  steps: StepFigure[]
  /** Open deals that have been in their step longer than the 80th percentile. */
  slower: { count: number } & List
  cohorts: CohortFigure[]
  /**
   * Deals left out of the figures: without the date of a completed step, in an unknown step, without a
   * creation date, or created in the period with unknown progress.
   */
  leftOut: Record<LeftOutOfFlow, { count: number; filter: DealFilter }>
}

/**
 * The flow figures for each of the most frequent values of a field, sorted by the number of deals created in
 * the period.
 */
export interface SliceFigures {
  asOf: string | null
  slice: SliceName
  /** Total number of values, including those not shown. */
  valueCount: number
  values: {
    /** Empty for deals without a value. */
    value: string
    filter: DealFilter
    steps: PeriodSteps
    reached: { reach: LastStep; count: number; filter: DealFilter }[]
  }[]
}

export const GetFlow = z.object({
  months: z.enum(flowPeriods).default('6').meta({
    description: 'Length of the period in months, including the current month up to today.',
    example: '6',
  }),
})

export const GetSlices = GetFlow.extend({ slice: z.enum(sliceNames) })

const day = z.string().meta({ example: '2026-03-01' })
const count = z.int().meta({ description: 'Number of deals.', example: 12 })
const Taken = z.object({
  count,
  median: z.int().nullable().meta({ description: 'Median days.', example: 14 }),
  slow: z.int().nullable().meta({ description: '80th percentile of days.', example: 22 }),
})

/** The flow figures in REST form. */
export const FlowReport = z
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
export type FlowReport = z.infer<typeof FlowReport>
