import { createLoader, parseAsString, parseAsStringLiteral } from 'nuqs/server'

/** The query of the Questions page. */
export const questionParsers = {
  state: parseAsStringLiteral(['open', 'answered', 'resolved'] as const).withDefault('open'),
  of: parseAsString,
}

/** Parses the page's query on the server. */
export const readQuestionQuery = createLoader(questionParsers)

/** Returns the filter of a query. */
export const questionFilter = ({
  state,
  of,
}: {
  state: 'open' | 'answered' | 'resolved'
  of: string | null
}) => ({ state, partner: of === '' ? null : of })
