import { createLoader, parseAsString, parseAsStringLiteral } from 'nuqs/server'

/** Query parameters of the Questions page. */
export const questionParsers = {
  state: parseAsStringLiteral(['open', 'answered', 'resolved'] as const).withDefault('open'),
  of: parseAsString,
}

export const readQuestionQuery = createLoader(questionParsers)

/** Returns the API filter for the query parameters. */
export const questionFilter = ({
  state,
  of,
}: {
  state: 'open' | 'answered' | 'resolved'
  of: string | null
}) => ({ state, partner: of === '' ? null : of })
