import { createLoader, createSerializer, type inferParserType, parseAsString } from 'nuqs/server'
import { cutLine } from '#app/cut-text.ts'
import { parseAsSort } from '#app/parse-as-sort.ts'
import { type PartnerSort, partnerSorts } from '#server/partners/policy.ts'

/** Query parameters of the partners page: the search text and the sort order. */
export const partnersParsers = {
  q: parseAsString.withDefault(''),
  sort: parseAsSort(partnerSorts).withDefault({ field: 'slug', direction: 'asc' }),
}

export const readPartnersQuery = createLoader(partnersParsers)
const write = createSerializer(partnersParsers)
export const partnersHref = (state: Partial<inferParserType<typeof partnersParsers>> = {}) =>
  write('/partners', state)

/** Returns the API filter for the query parameters. */
export const partnersFilter = ({ q, sort }: inferParserType<typeof partnersParsers>) => ({
  search: cutLine(q, 100),
  sort,
})

/**
 * Returns the sort order after a click on a column. Names start ascending and other columns descending; a
 * second click reverses the order.
 */
export function nextSort(sort: PartnerSort, field: PartnerSort['field']): PartnerSort {
  if (sort.field === field) return { field, direction: sort.direction === 'asc' ? 'desc' : 'asc' }
  return { field, direction: field === 'slug' ? 'asc' : 'desc' }
}
