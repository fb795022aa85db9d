import { useViewer } from '../../viewer-of-page.tsx'
import type { DealsState } from '../query.ts'
import type { ChoiceKind } from './choices.tsx'

/** Filters by field value: query parameter, options and label. */
const choiceLists = [
  { name: 'stage', kind: 'stages', label: 'Stage' },
  { name: 'pipeline', kind: 'pipelines', label: 'Pipeline' },
  { name: 'state', kind: 'states', label: 'State' },
  { name: 'place', kind: 'places', label: 'Place' },
  { name: 'person', kind: 'people', label: 'People' },
  { name: 'of', kind: 'partners', label: 'Partner' },
] as const satisfies { name: keyof DealsState; kind: ChoiceKind; label: string }[]

/** Returns these filters for the page; that by partner is for those who see all of them. */
export function useChoiceLists() {
  const { seesAllPartners } = useViewer()
  return choiceLists.filter(({ name }) => seesAllPartners || name !== 'of')
}
