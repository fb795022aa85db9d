import { createLoader, createSerializer, parseAsStringLiteral } from 'nuqs/server'
import { dayWindows } from '#server/protocol/day-window.ts'

/** The query of the overview: the days of its changes; by default since the last visit. */
export const overviewParsers = { window: parseAsStringLiteral(dayWindows) }

export const readOverviewQuery = createLoader(overviewParsers)

const serialize = createSerializer(overviewParsers)

/** Returns the URL of the overview. */
export const overviewHref = (state: Parameters<typeof serialize>[1] = {}) => serialize('/', state)
