import type { ReactNode } from 'react'
import { lazyContent } from '#app/ui/popover.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import { filters, type Filter, type FilterParam } from '#server/search/filters.ts'
import { type Patch, dateChoiceOf, dayFilters } from './active-filters.ts'
import type { ChoiceKind } from './choices.tsx'
import type { FilterState } from './query.ts'
import type { DealsQuery } from './use-deals-state.ts'

const Choices = lazyContent(() => import('./choices.tsx').then((module) => module.Choices))
const Dates = lazyContent(() => import('./dates.tsx').then((module) => module.Dates))
const TimeInStage = lazyContent(() => import('./dates.tsx').then((module) => module.TimeInStage))
const MoreFilters = lazyContent(() => import('./more-filters.tsx').then((module) => module.MoreFilters))

const countMore = (state: FilterState) =>
  Object.entries<Filter>(filters).reduce((sum, [name, filter]) => {
    const value = state[name as FilterParam]
    if (filter.kind === 'range') return sum + (value === null ? 0 : 1)
    const isThere =
      filter.kind === 'flags' ||
      filter.kind === 'marks' ||
      (filter.kind === 'names' && filter.select !== undefined)
    return isThere ? sum + (value as string[]).length : sum
  }, state.pipeline.length)

interface FilterSection {
  label: string
  short?: string
  count: number
  /** Renders the controls. Call `close` after a choice that excludes all others. */
  content: (close: () => void, isFocused: boolean) => ReactNode
}

/** Returns the filters in the order of the filter bar and the sheet. */
export function useFilterSections({ state, change, today }: DealsQuery): FilterSection[] {
  return [
    ...useChoiceLists().map(({ kind, label, chosen, patch }): FilterSection => ({
      label,
      count: chosen(state).length,
      content: (_, isFocused) => (
        <Choices
          isFocused={isFocused}
          kind={kind}
          label={label}
          chosen={chosen(state)}
          {...(kind === 'people' && { roles: state.role, onRoles: (role) => change({ role }) })}
          onChange={(values) => change(patch(values, state))}
        />
      ),
    })),
    {
      label: 'Time in stage',
      short: 'In stage',
      count: state.timeInCurrentStage === null ? 0 : 1,
      content: (close) => (
        <TimeInStage
          chosen={state.timeInCurrentStage}
          onChange={(timeInCurrentStage) => {
            change({ timeInCurrentStage })
            close()
          }}
        />
      ),
    },
    {
      label: 'Dates',
      count: dayFilters.filter((field) => dateChoiceOf(state, field) !== 'any').length,
      content: () => <Dates state={state} change={change} today={today} />,
    },
    {
      label: 'More filters',
      short: 'More',
      count: countMore(state),
      content: () => <MoreFilters state={state} change={change} />,
    },
  ]
}

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

/** States come from addresses, counties from coordinates. Choosing one kind clears the other. */
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

function useChoiceLists() {
  const { seesAllPartners } = useViewer()
  return lists.filter(({ kind }) => seesAllPartners || kind !== 'partners')
}
