'use client'

import dynamic from 'next/dynamic'
import { Popover, PopoverLoading } from '#app/ui/popover.tsx'
import { type Filter, type FilterParam, filters } from '#server/deals/find/filters.ts'
import type { FilterState } from '../query.ts'
import type { DealsQuery } from '../use-deals-state.ts'
import { useChoiceLists } from './choice-lists.ts'
import { dateChoiceOf, dayFilters } from './date-choice.ts'
import { FilterButton } from './filter-button.tsx'

// Loaded when first opened.
const Choices = dynamic(() => import('./choices.tsx').then((module) => module.Choices), {
  ssr: false,
  loading: PopoverLoading,
})
const Dates = dynamic(() => import('./dates.tsx').then((module) => module.Dates), {
  ssr: false,
  loading: PopoverLoading,
})
const TimeInStage = dynamic(() => import('./time-in-stage.tsx').then((module) => module.TimeInStage), {
  ssr: false,
  loading: PopoverLoading,
})
const MoreFilters = dynamic(() => import('./more.tsx').then((module) => module.MoreFilters), {
  ssr: false,
  loading: PopoverLoading,
})

/** Counts the selected filters under "More filters". */
const countMore = (state: FilterState) =>
  Object.entries<Filter>(filters).reduce((sum, [name, filter]) => {
    const value = state[name as FilterParam]
    if (filter.kind === 'range') return sum + (value === null ? 0 : 1)
    const isThere =
      filter.kind === 'flags' ||
      filter.kind === 'marks' ||
      (filter.kind === 'names' && filter.select !== undefined)
    return isThere ? sum + (value as string[]).length : sum
  }, 0)

/** Shows a button for each kind of filter. */
export function FilterBar({ state, change, today }: DealsQuery) {
  const dates = dayFilters.filter((field) => dateChoiceOf(state, field) !== 'any').length
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {useChoiceLists().map(({ name, kind, label }) => (
        <Popover
          key={name}
          label={label}
          trigger={(props) => <FilterButton {...props} label={label} count={state[name].length} />}
        >
          <Choices
            isFocused
            kind={kind}
            label={label}
            chosen={state[name]}
            {...(name === 'person' && { roles: state.role, onRoles: (role) => change({ role }) })}
            onChange={(values) => change({ [name]: values })}
          />
        </Popover>
      ))}
      <Popover
        label="Time in stage"
        trigger={(props) => (
          <FilterButton {...props} label="In stage" count={state.timeInCurrentStage === null ? 0 : 1} />
        )}
      >
        {(close) => (
          <TimeInStage
            chosen={state.timeInCurrentStage}
            onChange={(timeInCurrentStage) => {
              change({ timeInCurrentStage })
              close()
            }}
          />
        )}
      </Popover>
      <Popover label="Dates" trigger={(props) => <FilterButton {...props} label="Dates" count={dates} />}>
        <Dates state={state} change={change} today={today} />
      </Popover>
      <Popover
        label="More filters"
        trigger={(props) => <FilterButton {...props} label="More" count={countMore(state)} />}
      >
        <MoreFilters state={state} change={change} />
      </Popover>
    </div>
  )
}
