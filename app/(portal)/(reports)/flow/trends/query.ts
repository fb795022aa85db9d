import { createLoader, createSerializer, parseAsStringLiteral } from 'nuqs/server'
import { flowPeriods } from '#server/insight/periods.ts'
import { trendEvents, trendSlices, trendUnits } from '#server/insight/reports-wire.ts'

export const measures = ['count', 'amount', 'size', 'price'] as const
export type Measure = (typeof measures)[number]

/** Query parameters of the Trends page. */
export const trendParsers = {
  months: parseAsStringLiteral(flowPeriods).withDefault('6'),
  unit: parseAsStringLiteral(trendUnits).withDefault('month'),
  show: parseAsStringLiteral(measures).withDefault('count'),
  by: parseAsStringLiteral(trendSlices).withDefault('state'),
  /** The event that is broken down by field. */
  of: parseAsStringLiteral(trendEvents).withDefault('created'),
}

export const readTrendQuery = createLoader(trendParsers)

const serialize = createSerializer(trendParsers)

/** Returns the URL of the Trends page. */
export const trendHref = (state: Parameters<typeof serialize>[1]) => serialize('/flow/trends', state)
