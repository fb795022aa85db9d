import { parseAsString, parseAsStringLiteral } from 'nuqs/server'
import { type PageState, pageQuery } from '#app/page-query.ts'

/** Query parameters of the Questions page. */
export const questionsQuery = pageQuery('/questions', {
  state: parseAsStringLiteral(['open', 'answered', 'resolved']).withDefault('open'),
  of: parseAsString,
})

/** Returns the API filter for the query parameters. */
export const questionFilter = ({ state, of }: PageState<typeof questionsQuery>) => ({
  state,
  partner: of === '' ? null : of,
})
