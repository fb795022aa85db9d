import { createLoader, createParser, createSerializer } from 'nuqs/server'
import { mondayOfWeek } from '#server/insight/periods.ts'

/**
 * Query parameters of the Week page: an ISO week such as `2026-W48`. By default, the server chooses the week.
 */
export const weekParsers = {
  week: createParser({
    parse: (text) => (mondayOfWeek(text) === null ? null : text),
    serialize: (week: string) => week,
  }),
}

export const readWeekQuery = createLoader(weekParsers)

const serialize = createSerializer(weekParsers)

/** Returns the URL of the Week page. */
export const weekHref = (state: Parameters<typeof serialize>[1] = {}) => serialize('/week', state)
