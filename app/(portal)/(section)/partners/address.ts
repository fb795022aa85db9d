import { createLoader, createSerializer, type inferParserType, parseAsString } from 'nuqs/server'

/** What the address of the page says: part of a name or a slug. */
export const partnersParsers = { q: parseAsString.withDefault('') }

export const readPartnersAddress = createLoader(partnersParsers)
const write = createSerializer(partnersParsers)
export const partnersHref = (state: Partial<inferParserType<typeof partnersParsers>> = {}) => write('/partners', state)

/** What is asked for by the address. */
export const partnersFilter = (q: string) => ({ search: q.trim().slice(0, 100) })
