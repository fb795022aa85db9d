import { createLoader, createSerializer, type inferParserType, parseAsString } from 'nuqs/server'
import { cutText } from '#app/cut-text.ts'

/** What the address of the page says: part of a name or a slug. */
export const partnersParsers = { q: parseAsString.withDefault('') }

export const readPartnersQuery = createLoader(partnersParsers)
const write = createSerializer(partnersParsers)
export const partnersHref = (state: Partial<inferParserType<typeof partnersParsers>> = {}) =>
  write('/partners', state)

/** What is asked for by the address. */
export const partnersFilter = (q: string) => ({ search: cutText(q.trim(), 100) })
