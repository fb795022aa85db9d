import { filters } from '#server/search/filters.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import type { Patch } from '../active-filters.ts'
import type { FilterState } from '../query.ts'
import type { ChoiceKind } from './choices.tsx'

/** A filter whose choices are the values that deals have. */
export interface ChoiceList {
  label: string
  kind: ChoiceKind
  chosen: (state: FilterState) => string[]
  patch: (values: string[], state: FilterState) => Patch
}

const listOf = (
  name: 'stage' | 'pipeline' | 'person' | 'of' | 'assignee' | 'utilityName' | 'lender',
  kind: ChoiceKind,
  label: string,
): ChoiceList => ({
  label,
  kind,
  chosen: (state) => state[name],
  patch: (values) => ({ [name]: values }),
})

/** Matches counties in the map's format, such as `Maricopa, AZ`. */
const isCounty = (value: string) => /, [A-Z]{2}$/.test(value)

/**
 * States come from addresses, and counties from coordinates. Choosing a state clears the counties, and vice
 * versa.
 */
export const regionList: ChoiceList = {
  label: filters.place.label,
  kind: 'regions',
  chosen: ({ state, place }) => [...state, ...place],
  patch(values, { state, place }) {
    const added = values.find((value) => !state.includes(value) && !place.includes(value))
    const isPlace = (value: string) => isCounty(value) || place.includes(value)
    const [places, states] = [values.filter(isPlace), values.filter((value) => !isPlace(value))]
    if (added === undefined) return { state: states, place: places }
    return isCounty(added) ? { state: null, place: places } : { state: states, place: null }
  },
}

const lists = [
  listOf('of', 'partners', filters.of.label),
  listOf('stage', 'stages', filters.stage.label),
  regionList,
  listOf('person', 'people', filters.person.label),
  listOf('utilityName', 'utilities', 'Utility'),
  listOf('lender', 'lenders', 'Lender'),
  listOf('assignee', 'assignees', filters.assignee.label),
]

/** Hidden for most partners, which have only one pipeline. */
export const pipelineList = listOf('pipeline', 'pipelines', filters.pipeline.label)

/** Returns the filters for the page. Only viewers of all partners get the partner filter. */
export function useChoiceLists() {
  const { seesAllPartners } = useViewer()
  return lists.filter(({ kind }) => seesAllPartners || kind !== 'partners')
}
