import { formatCount, formatDollars, formatDollarsShort } from '#app/ui/format.ts'
import {
  type TrendEvent,
  type TrendFigure,
  type TrendSlice,
  type TrendSum,
  type Trends,
  trendEvents,
} from '#server/insight/reports-wire.ts'
import type { Measure } from '../query.ts'

/** Events in the order of the chart's bars. */
export const trendSeries = [
  { name: 'created', label: 'Created', color: 'var(--info)' },
  { name: 'ntp', label: 'NTP approved', color: 'var(--wait)' },
  { name: 'installed', label: 'Installed', color: 'var(--teal)' },
  { name: 'funded', label: 'Funding submitted', color: 'var(--good)' },
] as const satisfies { name: TrendEvent; label: string; color: string }[]

export const measureNames: Record<Measure, string> = {
  count: 'Deals',
  amount: 'Amount',
  size: 'System size',
  price: 'Price per watt',
}

export const trendSliceLabels: Record<TrendSlice, string> = {
  state: 'State',
  utilityName: 'Utility',
  lender: 'Lender',
  moduleType: 'Modules',
  inverterType: 'Inverters',
  battery: 'Battery',
}

const leftOutTexts: Record<TrendEvent | TrendSum, string> = {
  created: 'without a creation date',
  ntp: 'with NTP approved without a date',
  installed: 'installed without a date',
  funded: 'submitted for funding without a date',
  amount: 'without an amount',
  size: 'without a system size',
  price: 'without a price per watt',
}

/** Describes the deals that are missing from a chart of these events. */
export const trendsLeftOut = (
  leftOut: Trends['leftOut'],
  measure: Measure,
  events: readonly TrendEvent[] = trendEvents,
) =>
  [...events, ...(measure === 'count' ? [] : [measure])].map((name) => ({
    ...leftOut[name],
    what: leftOutTexts[name],
  }))

const price = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** Returns a measure as a number, for charts and files; null if unknown. */
export function numberOf(figure: TrendFigure, measure: Measure): number | null {
  if (measure === 'price') return figure.price?.median ?? null
  // Rounding to tenths would show some amounts a dollar too high.
  return measure === 'amount' ? Math.round(figure.amount * 100) / 100 : Math.round(figure[measure] * 10) / 10
}

/** Formats the value of a measure: `1,100`, `$2.4M`, `412 kW`, `$3.50`. */
export function measureText(value: number | null, measure: Measure, isShort = false): string {
  if (value === null) return '–'
  if (measure === 'amount') return isShort ? formatDollarsShort(value) : formatDollars(value)
  if (measure === 'price') return price.format(value)
  return measure === 'size' ? `${formatCount(Math.round(value))} kW` : formatCount(value)
}

/** Sorts the values of a field by a measure, largest first, unknown last. */
export const byMeasure = <Value extends { now: Record<TrendEvent, TrendFigure> }>(
  values: readonly Value[],
  event: TrendEvent,
  measure: Measure,
) => {
  const key = ({ now }: Value) => numberOf(now[event], measure) ?? Number.NEGATIVE_INFINITY
  return values.toSorted((a, b) => Math.sign(key(b) - key(a)) || 0)
}

/** Formats the price range from the 20th to the 80th percentile. */
export const spreadText = ({ price: spread }: TrendFigure) =>
  spread === null ? '' : `${price.format(spread.low)}–${price.format(spread.high)}`

// Minimum number of deals for a percentage: going from one deal to five would read +400%.
const comparedMin = 10

/**
 * Formats the change of a measure, such as `+12%`. Returns an empty string if the change is unknown, if either
 * period has fewer than ten deals, or if more deals lack the date (`undated`) than have it.
 */
export function changeInPercent(
  figures: { now: TrendFigure; previous: TrendFigure },
  measure: Measure,
  undated = 0,
): string {
  if (Math.min(figures.now.count, figures.previous.count) < comparedMin) return ''
  if (undated > figures.now.count + figures.previous.count) return ''
  const [now, previous] = [numberOf(figures.now, measure), numberOf(figures.previous, measure)]
  if (now === null || previous === null || previous === 0) return ''
  const percent = Math.round((100 * (now - previous)) / previous)
  return `${percent > 0 ? '+' : ''}${percent}%`
}
