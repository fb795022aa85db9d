import { X } from 'lucide-react'
import { type ActiveFilter, activeFilters } from '../active-filters.ts'
import { type DealsState, noFilter } from '../query.ts'
import type { ChangeDealsState } from '../use-deals-state.ts'

/** Shows the active filters, each with a button to remove it, and when printed also the search. */
export function Chips({ state, change }: { state: DealsState; change: ChangeDealsState }) {
  const filters = activeFilters(state)
  return (
    <>
      <SearchOnPaper search={state.q.trim()} filters={filters} />
      {filters.length > 0 && <Buttons filters={filters} change={change} />}
    </>
  )
}

/** Prints the search and filters of the list. */
function SearchOnPaper({ search, filters }: { search: string; filters: ActiveFilter[] }) {
  const all = filters.map(({ label, value }) => `${label}: ${value}`)
  return (
    <p className="hidden print:block">{[search === '' ? [] : `Search: ${search}`, all].flat().join(' · ')}</p>
  )
}

function Buttons({ filters, change }: { filters: ActiveFilter[]; change: ChangeDealsState }) {
  return (
    <ul
      aria-label="Active filters"
      className="flex flex-wrap items-center gap-2 print:hidden max-md:flex-nowrap max-md:overflow-x-auto max-md:pb-1"
    >
      {filters.map(({ label, value, without }) => (
        <li
          key={`${label} ${value}`}
          className="flex h-7 max-w-full shrink-0 items-center rounded-full border border-line bg-surface pr-1 pl-3"
        >
          <span className="max-w-80 truncate" title={value}>
            <span className="text-ink-soft">{label}:</span> {value}
          </span>
          <button
            type="button"
            aria-label={`Remove ${label}: ${value}`}
            onClick={() => change(without)}
            className="ml-1 grid size-5 place-items-center rounded-full text-ink-soft hover:bg-sunken hover:text-ink"
          >
            <X aria-hidden="true" className="size-3.5" />
          </button>
        </li>
      ))}
      <li className="shrink-0">
        <button
          type="button"
          onClick={() => change(noFilter)}
          className="h-7 rounded-full px-2.5 font-medium text-ink-soft hover:bg-sunken hover:text-ink"
        >
          Clear all
        </button>
      </li>
    </ul>
  )
}
