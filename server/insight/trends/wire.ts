import type { TimeField } from '../../deals/columns.ts'
import type { MilestoneName } from '../../deals/milestones/milestone.ts'
import type { DealFilter } from '../../search/wire.ts'
import { z } from '../../values/input.ts'
import { type DaySpan, type FlowPeriod, flowPeriods } from '../period.ts'

/** The events counted by week or month. NTP stands in for the contract signature, which has no date field. */
export const trendEvents = ['created', 'ntp', 'installed', 'funded'] as const
export type TrendEvent = (typeof trendEvents)[number]

/** The date field of each event. */
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

/** The trends of the tenant's deals. */
export interface Trends {
  /** Time of the figures (ISO 8601) if they are older than the list, otherwise null. */
  asOf: string | null
  /** One entry per week or month. The current one is last. */
  spans: (DaySpan & { events: EventFigures })[]
  /** The days of a period and of the previous period. */
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
  /** Total number of values, including those not shown. */
  valueCount: number
  values: {
    /** Empty for deals without a value. */
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
