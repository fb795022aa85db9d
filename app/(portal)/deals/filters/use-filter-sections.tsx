import type { ReactNode } from 'react'
import { lazyPart } from '#app/ui/lazy-part.ts'
import { PopoverLoading } from '#app/ui/popover.tsx'
import { type Filter, type FilterParam, filters } from '#server/search/filters.ts'
import type { FilterState } from '../query.ts'
import type { DealsQuery } from '../use-deals-state.ts'
import { useChoiceLists } from './choice-lists.ts'
import { dateChoiceOf, dayFilters } from './date-choice.ts'

// Load these parts when they are first opened.
const Choices = lazyPart(() => import('./choices.tsx').then((module) => module.Choices), PopoverLoading)
const Dates = lazyPart(() => import('./dates.tsx').then((module) => module.Dates), PopoverLoading)
const TimeInStage = lazyPart(() => import('./dates.tsx').then((module) => module.TimeInStage), PopoverLoading)
const MoreFilters = lazyPart(() => import('./more.tsx').then((module) => module.MoreFilters), PopoverLoading)

/** Counts the active filters under "More filters". */
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
  /** Shorter label for the button. */
  short?: string
  /** Number of active filters. */
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
