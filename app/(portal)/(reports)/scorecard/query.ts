import { createLoader, createSerializer, parseAsBoolean, parseAsStringLiteral } from 'nuqs/server'
import { repRoles } from '#server/insight/scorecard/wire.ts'
import { dayWindows } from '#server/values/day-window.ts'

/** The columns that the scorecard can be sorted by. */
const sortNames = ['open', 'late', 'stuck', 'funded', 'install'] as const
export type SortName = (typeof sortNames)[number]

/** The query of the scorecard, which determines everything shown. */
export const scorecardParsers = {
  role: parseAsStringLiteral(repRoles).withDefault('closerName'),
  /** The days in which deals were funded. */
  window: parseAsStringLiteral(dayWindows).withDefault('last-30-days'),
  sort: parseAsStringLiteral(sortNames).withDefault('open'),
  ascending: parseAsBoolean.withDefault(false),
}

export const readScorecardQuery = createLoader(scorecardParsers)

const serialize = createSerializer(scorecardParsers)

/** Returns the URL of the scorecard. */
export const scorecardHref = (state: Parameters<typeof serialize>[1] = {}) => serialize('/scorecard', state)
