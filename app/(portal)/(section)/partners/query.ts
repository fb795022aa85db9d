import { createLoader, createSerializer, type inferParserType, parseAsString } from 'nuqs/server'
import { cutText } from '#app/cut-text.ts'

/** The query of the partners page: part of a name or slug. */
export const partnersParsers = { q: parseAsString.withDefault('') }

export const readPartnersQuery = createLoader(partnersParsers)
const write = createSerializer(partnersParsers)
export const partnersHref = (state: Partial<inferParserType<typeof partnersParsers>> = {}) =>
  write('/partners', state)

/** Returns the filter for a query. */
export const partnersFilter = (q: string) => ({ search: cutText(q.trim(), 100) })
