import { type Filter, type FilterParam, filters } from '#server/deals/find/filters.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import type { ChoiceKind } from './choices.tsx'

type ListParam = {
  [Name in FilterParam]: (typeof filters)[Name]['kind'] extends 'texts' ? Name : never
}[FilterParam]

/** The filters by the values of a field: their parameter in the query, what is chosen from, and their label. */
const choiceLists = Object.entries<Filter>(filters).flatMap(([name, filter]) =>
  filter.kind === 'texts'
    ? [{ name: name as ListParam, kind: filter.key as ChoiceKind, label: filter.label }]
    : [],
)

/** Returns these filters for the page; that by partner is for those who see all of them. */
export function useChoiceLists() {
  const { seesAllPartners } = useViewer()
  return choiceLists.filter(({ name }) => seesAllPartners || name !== 'of')
}
