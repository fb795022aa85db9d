import { parseAsStringLiteral } from 'nuqs/server'
import { type PageState, pageQuery } from '#app/page-query.ts'
import { flowPeriods, usualPeriod } from '#server/insight/periods.ts'
import { sliceNames, trendEvents, trendSlices, trendUnits } from '#server/insight/reports-wire.ts'

/** Query parameters of the Flow page. */
export const flowQuery = pageQuery('/flow', {
  // The Deals and Money pages use the durations of the same period.
  months: parseAsStringLiteral(flowPeriods).withDefault(usualPeriod),
  by: parseAsStringLiteral(sliceNames).withDefault('utilityName'),
  show: parseAsStringLiteral(['median', 'slow', 'reached']).withDefault('median'),
})

/** Query parameters of the Trends page. `of` is the event that is broken down by the field `by`. */
export const trendsQuery = pageQuery('/flow/trends', {
  months: parseAsStringLiteral(flowPeriods).withDefault('6'),
  unit: parseAsStringLiteral(trendUnits).withDefault('month'),
  show: parseAsStringLiteral(['count', 'amount', 'size', 'price']).withDefault('count'),
  by: parseAsStringLiteral(trendSlices).withDefault('state'),
  of: parseAsStringLiteral(trendEvents).withDefault('created'),
})

export type Measure = PageState<typeof trendsQuery>['show']
