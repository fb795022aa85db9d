import { createLoader, createSerializer, parseAsStringLiteral } from 'nuqs/server'
import { flowPeriods, usualPeriod } from '#server/insight/periods.ts'
import { sliceNames } from '#server/insight/reports-wire.ts'

/** Query parameters of the Flow page. */
export const flowParsers = {
  // The Deals and Money pages use the durations of the same period.
  months: parseAsStringLiteral(flowPeriods).withDefault(usualPeriod),
  by: parseAsStringLiteral(sliceNames).withDefault('utilityName'),
  show: parseAsStringLiteral(['median', 'slow', 'reached']).withDefault('median'),
}

export const readFlowQuery = createLoader(flowParsers)

const serialize = createSerializer(flowParsers)

/** Returns the URL of the Flow page. */
export const flowHref = (state: Parameters<typeof serialize>[1] = {}) => serialize('/flow', state)
