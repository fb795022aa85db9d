'use client'

import { FileSearch, Sun } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Notice } from '#app/ui/notice.tsx'
import { type ActiveFilter, activeFilters } from './active-filters.ts'
import { noFilter } from './query.ts'
import type { DealsQuery } from './use-deals-state.ts'

/** Shows that no deals match. Explains the filter "my deals" if it is active. */
export function NothingFound({ state, change }: DealsQuery) {
  const search: ActiveFilter[] =
    state.q.trim() === '' ? [] : [{ label: 'Search', value: state.q.trim(), without: { q: null } }]
  const filters = [...search, ...activeFilters(state)]
  if (filters.length === 0)
    return (
      <Notice icon={Sun} title="No deals yet">
        Your deals appear here once the installer adds the first one.
      </Notice>
    )
  return (
    <Notice
      icon={FileSearch}
      title="No matching deals"
      action={
        <button type="button" onClick={() => change(noFilter)} className={button.plain}>
          {filters.length === 1 ? 'Show all deals' : 'Clear all'}
        </button>
      }
    >
      <span className="wrap-anywhere">
        {filters.length === 1 ? whyNone(filters[0]!) : 'No deal matches all filters.'}
        {state.is.includes('mine') && <Mine />}
      </span>
    </Notice>
  )
}

function Mine() {
  const { data: me } = trpc.accounts.me.useQuery()
  if (me === undefined) return null
  return (
    <span className="mt-1.5 block">
      A deal is yours when one of its people has your e-mail address, {me.email}. Ask the installer to enter
      it with your name. Closers and setters only have names: filter by people for “{me.name}”.
    </span>
  )
}

const whyNone = ({ label, value }: ActiveFilter) =>
  label === 'Search' ? `No deal has words starting with “${value}”.` : `No deal matches ${label}: ${value}.`
