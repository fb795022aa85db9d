import type { DealsState } from '../query.ts'
import type { ChoiceKind } from './choices.tsx'

/** The filters by the values of a field: their parameter in the query, what is chosen from, and their label. */
export const choiceLists = [
  { name: 'stage', kind: 'stages', label: 'Stage' },
  { name: 'pipeline', kind: 'pipelines', label: 'Pipeline' },
  { name: 'state', kind: 'states', label: 'State' },
  { name: 'person', kind: 'people', label: 'People' },
] as const satisfies { name: keyof DealsState; kind: ChoiceKind; label: string }[]
