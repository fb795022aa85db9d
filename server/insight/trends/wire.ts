import type { TimeField } from '../../deals/columns.ts'
import type { MilestoneName } from '../../deals/milestones/milestone.ts'
import type { DealFilter } from '../../search/wire.ts'
import { z } from '../../values/input.ts'
import { type DaySpan, type FlowPeriod, flowPeriods } from '../period.ts'

/**
 * The events counted by week or month. NTP stands in for the contract signature, which has no date of its
 * own.
 */
export const trendEvents = ['created', 'ntp', 'installed', 'funded'] as const
export type TrendEvent = (typeof trendEvents)[number]

/** The dates of the events. */
export const trendFields: Readonly<Record<TrendEvent, TimeField>> = {
  created: 'createDate',
  ntp: 'ntpApproved',
  installed: 'installComplete',
  funded: 'fundingSubmitted',
}

/** The milestones of the events: a deal may have passed one without its date. */
export const trendMilestones = {
  created: 'created',
  ntp: 'ntp',
  installed: 'install',
  funded: 'funding',
} as const satisfies Record<TrendEvent, MilestoneName>

/** The sums of trends, and the field without which a deal is left out of each. */
export const trendSums = { amount: 'amount', size: 'systemSize', price: 'totalPpw' } as const
export type TrendSum = keyof typeof trendSums

export const trendUnits = ['month', 'week'] as const
export type TrendUnit = (typeof trendUnits)[number]

/** The fields that trends can be sliced by. */
export const trendSlices = [
  'state',
  'utilityName',
  'lender',
  'moduleType',
  'inverterType',
  'battery',
] as const
export type TrendSlice = (typeof trendSlices)[number]

/** Deals in dollars, kilowatts and dollars per watt. */
export interface TrendFigure {
  count: number
  amount: number
  size: number
  /** The 20th percentile `low`, the median, and the 80th percentile `high`; null if no price is known. */
  price: { low: number; median: number; high: number } | null
}

export type EventFigures = Record<TrendEvent, TrendFigure>

/** The trends of the tenant's deals. */
export interface Trends {
  /** ISO 8601: the time of the figures if they are older than the list; null if current. */
  asOf: string | null
  /** One entry per week or month; the current one is last. */
  spans: (DaySpan & { events: EventFigures })[]
  /** A period and the previous one. */
  days: { now: DaySpan; previous: DaySpan }
  now: EventFigures
  previous: EventFigures
  leftOut: LeftOutOfTrends
}

/** All deals that trends leave out: without the date of an event, or without the field of a sum. */
export type LeftOutOfTrends = Record<TrendEvent | TrendSum, { count: number; filter: DealFilter }>

/** The trends of a period by the values of a field, the most frequent ones first. */
export interface SlicedTrends {
  asOf: string | null
  days: { now: DaySpan; previous: DaySpan }
  slice: TrendSlice
  /** The total number of values, of which the most frequent are shown. */
  valueCount: number
  values: {
    /** Empty if not given. */
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

/** The figures of each period and of the previous one. */
export type PeriodTrends = Record<FlowPeriod, { now: EventFigures; previous: EventFigures }>
