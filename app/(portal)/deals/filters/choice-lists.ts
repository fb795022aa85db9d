import { type Filter, type FilterParam, filters } from '#server/deals/find/filters.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import type { ChoiceKind } from './choices.tsx'

type ListParam = {
  [Name in FilterParam]: (typeof filters)[Name]['kind'] extends 'texts' ? Name : never
}[FilterParam]

/** The filters by field value: their query parameter, options, and label. */
const choiceLists = Object.entries<Filter>(filters).flatMap(([name, filter]) =>
  filter.kind === 'texts'
    ? [{ name: name as ListParam, kind: filter.key as ChoiceKind, label: filter.label }]
    : [],
)

/** Returns these filters for the page; viewers of all partners get the one by partner. */
export function useChoiceLists() {
  const { seesAllPartners } = useViewer()
  return choiceLists.filter(({ name }) => seesAllPartners || name !== 'of')
}
