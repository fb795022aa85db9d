import type { DealFilter } from '../search/wire.ts'
import { addDays } from '../values/zone.ts'
import { type FlowPeriod, flowPeriods, percentileOf, spansOf } from './periods.ts'
import {
  type EventFigures,
  type LeftOutOfTrends,
  type PeriodTrends,
  type TrendEvent,
  type TrendFigure,
  type TrendSum,
  type Trends,
  trendEvents,
  trendFields,
  trendMilestones,
  trendSums,
} from './reports-wire.ts'

/** Deals with the same event, span and price. Spans are numbered from 1, oldest first. */
export interface PricedDeals {
  event: TrendEvent
  span: number
  /** Cents per watt, or null if unknown. */
  cents: number | null
  count: number
  amount: number
  size: number
}

/** The totals that the trends are computed from, as of a day such as `2026-03-01`. */
export interface TrendTotals {
  today: string
  months: Trends['spans']
  weeks: Trends['spans']
  periods: PeriodTrends
  leftOut: Record<TrendEvent | TrendSum, number>
}

/** The totals for each of the most frequent values of a field. */
export interface SlicedTotals {
  today: string
  values: { value: string; periods: PeriodTrends }[]
  valueCount: number
}

/** Returns the filters of the deals that the trends leave out. */
export function leftOutFilters(): Record<TrendEvent | TrendSum, DealFilter> {
  const ofEvent = (event: TrendEvent): DealFilter => {
    const [name, missing] = [trendMilestones[event], [trendFields[event]]]
    return name === 'created' ? { missing } : { done: [name], missing }
  }
  return Object.fromEntries([
    ...trendEvents.map((event) => [event, ofEvent(event)]),
    ...Object.entries(trendSums).map(([sum, field]) => [sum, { missing: [field] }]),
  ]) as Record<TrendEvent | TrendSum, DealFilter>
}

/** Adds the filter of the list to each count. */
export function leftOutOf(counts: TrendTotals['leftOut']): LeftOutOfTrends {
  const filters = leftOutFilters()
  const names = Object.keys(filters) as (keyof LeftOutOfTrends)[]
  return Object.fromEntries(
    names.map((name) => [name, { count: counts[name], filter: filters[name] }]),
  ) as LeftOutOfTrends
}

/** Returns the sums of the deals, and the 20th, 50th and 80th percentiles of their prices. */
function trendFigureOf(rows: readonly PricedDeals[]): TrendFigure {
  const sum = (of: 'count' | 'amount' | 'size') => rows.reduce((all, row) => all + row[of], 0)
  const prices = rows
    .flatMap(({ cents, count }) => (cents === null ? [] : [{ cents, count }]))
    .toSorted((a, b) => a.cents - b.cents)
  const priceAt = (share: number) => percentileOf(prices, share).cents / 100
  return {
    count: sum('count'),
    amount: sum('amount'),
    size: sum('size'),
    price: prices.length === 0 ? null : { low: priceAt(0.2), median: priceAt(0.5), high: priceAt(0.8) },
  }
}

function eventsOf(rows: readonly PricedDeals[]): EventFigures {
  const ofEvent = Map.groupBy(rows, ({ event }) => event)
  return Object.fromEntries(
    trendEvents.map((event) => [event, trendFigureOf(ofEvent.get(event) ?? [])]),
  ) as EventFigures
}

/** Returns the figures of each span except the first. `starts` are the first days of the spans. */
export function spanTrends(rows: readonly PricedDeals[], starts: string[], today: string): Trends['spans'] {
  const ofSpan = Map.groupBy(rows, ({ span }) => span)
  return starts
    .map((from, index) => {
      const next = starts[index + 1]
      return {
        from,
        to: next === undefined ? today : addDays(next, -1),
        events: eventsOf(ofSpan.get(index + 1) ?? []),
      }
    })
    .slice(1)
}

/** Returns the figures of each period and of its previous period. */
export function periodTrends(rows: readonly PricedDeals[], starts: string[], today: string): PeriodTrends {
  const trendsOf = (period: FlowPeriod) => {
    const { isNow, isPrevious } = spansOf(period, today, starts)
    return {
      now: eventsOf(rows.filter(({ span }) => isNow(span))),
      previous: eventsOf(rows.filter(({ span }) => isPrevious(span))),
    }
  }
  return Object.fromEntries(flowPeriods.map((period) => [period, trendsOf(period)])) as PeriodTrends
}
