import { createParser } from 'nuqs/server'
import { pageQuery } from '#app/page-query.ts'
import { mondayOfWeek } from '#server/insight/periods.ts'

/**
 * Query parameters of the Week page: an ISO week such as `2026-W48`. By default, the server chooses the week.
 */
export const weekQuery = pageQuery('/week', {
  week: createParser<string>({
    parse: (text) => (mondayOfWeek(text) === null ? null : text),
    serialize: String,
  }),
})
