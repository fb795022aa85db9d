import type { RoleField, TimeField } from '../deals/columns.ts'
import { type LastStep, type FlowStep } from '../deals/flow.ts'
import type { MilestoneName } from '../deals/milestone.ts'
import type { DealFilter, DealSort } from '../search/wire.ts'
import { type DayWindow, dayWindows } from '../values/day-choice.ts'
import { z } from '../values/input.ts'
import { type DaySpan, type FlowPeriod, flowPeriods, type StepUsual } from './periods.ts'

/** The fields by whose values the flow figures can be grouped. */
export const sliceNames = ['utilityName', 'city', 'stage', 'closerName', 'pipeline'] as const
export type SliceName = (typeof sliceNames)[number]

/** Figures of each step in a period and in the previous period. */
export type PeriodSteps = Record<FlowStep, { now: StepUsual; previous: StepUsual }>

interface List {
  filter: DealFilter
  sort: DealSort
}

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
  open: number
  lost: number
  filter: DealFilter
  openFilter: DealFilter
  lostFilter: DealFilter
}

type LeftOutOfFlow = 'undated' | 'stepNotKnown' | 'notCreated' | 'reachNotKnown'

export interface FlowFigures {
  /** Time of the figures (ISO 8601) if they are older than the list, otherwise null. */
  asOf: string | null
  today: string
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

/** The events counted by week or month. NTP stands in for the contract signature, which has no date field. */
export const trendEvents = ['created', 'ntp', 'installed', 'funded'] as const
export type TrendEvent = (typeof trendEvents)[number]

export const trendFields: Readonly<Record<TrendEvent, TimeField>> = {
  created: 'createDate',
  ntp: 'ntpApproved',
  installed: 'installComplete',
  funded: 'fundingSubmitted',
}

/** The milestone of each event. A deal can have passed a milestone without having its date. */
export const trendMilestones = {
  created: 'created',
  ntp: 'ntp',
  installed: 'install',
  funded: 'funding',
} as const satisfies Record<TrendEvent, MilestoneName>

/** The sums of trends, and the field that a deal needs to be included in each sum. */
export const trendSums = { amount: 'amount', size: 'systemSize', price: 'totalPpw' } as const
export type TrendSum = keyof typeof trendSums

export const trendUnits = ['month', 'week'] as const
export type TrendUnit = (typeof trendUnits)[number]

/** The fields by whose values the trends can be grouped. */
export const trendSlices = [
  'state',
  'utilityName',
  'lender',
  'moduleType',
  'inverterType',
  'battery',
] as const
export type TrendSlice = (typeof trendSlices)[number]

/** The size of a set of deals in dollars and kilowatts, and their prices in dollars per watt. */
export interface TrendFigure {
  count: number
  amount: number
  size: number
  /**
   * 20th percentile (`low`), median, and 80th percentile (`high`) of the price, or null if no price is known.
   */
  price: { low: number; median: number; high: number } | null
}

export type EventFigures = Record<TrendEvent, TrendFigure>

export interface Trends {
  asOf: string | null
  /** One entry per week or month. The current one is last. */
  spans: (DaySpan & { events: EventFigures })[]
  days: { now: DaySpan; previous: DaySpan }
  now: EventFigures
  previous: EventFigures
  leftOut: LeftOutOfTrends
}

/** Deals that the trends leave out because the date of an event or the field of a sum is missing. */
export type LeftOutOfTrends = Record<TrendEvent | TrendSum, { count: number; filter: DealFilter }>

/** The trends of a period for each of the most frequent values of a field. */
export interface SlicedTrends {
  asOf: string | null
  days: { now: DaySpan; previous: DaySpan }
  slice: TrendSlice
  valueCount: number
  values: {
    value: string
    filter: DealFilter
    now: EventFigures
    previous: EventFigures
  }[]
}

export const GetTrends = z.object({
  months: z.enum(flowPeriods).default('6'),
  unit: z.enum(trendUnits).default('month'),
})

export const GetSlicedTrends = GetTrends.pick({ months: true }).extend({ slice: z.enum(trendSlices) })

/** The figures of each period and of its previous period. */
export type PeriodTrends = Record<FlowPeriod, { now: EventFigures; previous: EventFigures }>

/** The roles of reps: closer, setter and account manager. */
export const repRoles = ['closerName', 'setterName', 'owner'] as const satisfies RoleField[]
export type RepRole = (typeof repRoles)[number]

interface Figure {
  count: number
  filter: DealFilter
}

/** The median days from sale to install, and its deals. Null with fewer than five deals. */
interface MedianFigure extends Figure {
  median: number | null
}

interface SumFigure extends Figure {
  amount: number
}

export interface RepFigures {
  role: RepRole
  name: string
  /** True if the rep is the viewer. */
  isMine: boolean
  open: SumFigure
  late: SumFigure
  /** Open deals that have been in their stage for more than 30 days. */
  stuck: SumFigure
  /** Deals whose funding was submitted in the window. */
  funded: SumFigure
  /** Median over the deals installed in the last 12 months. */
  install: MedianFigure
}

/** The figures of a partner's reps, with the user's own figures first. */
export interface Scorecard {
  asOf: string | null
  window: DayWindow
  /** Median over all deals of the partner. */
  team: MedianFigure
  reps: RepFigures[]
}

export const GetScorecard = z.object({ window: z.enum(dayWindows).default('last-30-days') })
