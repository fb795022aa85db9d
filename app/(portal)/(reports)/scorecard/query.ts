import { createLoader, createSerializer, parseAsBoolean, parseAsStringLiteral } from 'nuqs/server'
import { repRoles } from '#server/insight/reports-wire.ts'
import { dayWindows } from '#server/values/day-choice.ts'

/** Sortable columns of the scorecard. */
const sortNames = ['open', 'late', 'stuck', 'funded', 'install'] as const
export type SortName = (typeof sortNames)[number]

/** Query parameters of the scorecard. */
export const scorecardParsers = {
  role: parseAsStringLiteral(repRoles).withDefault('closerName'),
  /** Time window for the column of funded deals. */
  window: parseAsStringLiteral(dayWindows).withDefault('last-30-days'),
  sort: parseAsStringLiteral(sortNames).withDefault('open'),
  ascending: parseAsBoolean.withDefault(false),
}

export const readScorecardQuery = createLoader(scorecardParsers)

const serialize = createSerializer(scorecardParsers)

/** Returns the URL of the scorecard. */
export const scorecardHref = (state: Parameters<typeof serialize>[1] = {}) => serialize('/scorecard', state)
