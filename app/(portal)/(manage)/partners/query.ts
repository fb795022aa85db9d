import { createLoader, createSerializer, type inferParserType, parseAsString } from 'nuqs/server'
import { cutLine } from '#app/cut-text.ts'
import { parseAsSort } from '#app/parse-as-sort.ts'
import { type PartnerSort, partnerSorts } from '#server/partners/policy.ts'

/** The query of the partners page: part of a name or slug, and the order. */
export const partnersParsers = {
  q: parseAsString.withDefault(''),
  sort: parseAsSort(partnerSorts).withDefault({ field: 'slug', direction: 'asc' }),
}

export const readPartnersQuery = createLoader(partnersParsers)
const write = createSerializer(partnersParsers)
export const partnersHref = (state: Partial<inferParserType<typeof partnersParsers>> = {}) =>
  write('/partners', state)

/** Returns the filter for a query. */
export const partnersFilter = ({ q, sort }: inferParserType<typeof partnersParsers>) => ({
  search: cutLine(q, 100),
  sort,
})

/**
 * Returns the order after a click on a column: names ascending, everything else descending; another click
 * reverses it.
 */
export function nextSort(sort: PartnerSort, field: PartnerSort['field']): PartnerSort {
  if (sort.field === field) return { field, direction: sort.direction === 'asc' ? 'desc' : 'asc' }
  return { field, direction: field === 'slug' ? 'asc' : 'desc' }
}
