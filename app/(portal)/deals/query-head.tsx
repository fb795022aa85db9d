'use client'

import { SlidersHorizontal } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type ReactNode, useState } from 'react'
import { PartBoundary } from '#app/ui/failure.tsx'
import { formatCountOf, formatDollars } from '#app/ui/format.ts'
import { activeFilters } from './active-filters.ts'
import { Chips } from './filters/chips.tsx'
import { FilterBar } from './filters/filter-bar.tsx'
import { FilterButton } from './filters/filter-button.tsx'
import { SearchField } from './search-field.tsx'
import type { DealsQuery } from './use-deals-state.ts'

// Loaded when first opened.
const FilterSheet = dynamic(() => import('./filters/filter-sheet.tsx').then((module) => module.FilterSheet), {
  ssr: false,
})

/** The number of the matching deals, or of at least so many, and their total amount if it is known; undefined while unknown. */
export type Total = { count: number; isMore: boolean; amount: number | null } | undefined

/** Returns whether no deal was counted, although there may be some. */
export const isUnknown = ({ count, isMore }: Pick<NonNullable<Total>, 'count' | 'isMore'>) =>
  count === 0 && isMore

/** Shows the head of the list and the board: title, totals, search and filters; `children` are its menus. */
export function QueryHead({
  title,
  total,
  query,
  isNarrow,
  isBusy,
  toRows,
  children,
}: {
  title: string
  total: Total
  query: DealsQuery
  isNarrow: boolean
  isBusy: boolean
  toRows: () => void
  children?: ReactNode
}) {
  const { state, change } = query
  const [isSheetOpen, openSheet] = useState(false)
  const found =
    total === undefined || isUnknown(total) ? 'deals' : formatCountOf(total.count, 'deal', total.isMore)
  return (
    <div className="mb-3 shrink-0 space-y-3">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        <p role="status" className="text-ink-soft tabular-nums">
          {total !== undefined && !isUnknown(total) && (
            <>
              {found}
              {total.count > 0 && total.amount !== null && (
                <span className="whitespace-nowrap"> · {formatDollars(total.amount)}</span>
              )}
            </>
          )}
        </p>
        {children}
      </div>
      <div className="flex flex-wrap items-center gap-2 print:hidden">
        <SearchField isBusy={isBusy} toRows={toRows} />
        {isNarrow ? (
          <FilterButton
            label="Filters"
            icon={SlidersHorizontal}
            count={activeFilters(state).length}
            aria-haspopup="dialog"
            onClick={() => openSheet(true)}
          />
        ) : (
          <FilterBar {...query} />
        )}
      </div>
      <Chips state={state} change={change} />
      {isNarrow && isSheetOpen && (
        <PartBoundary onClose={() => openSheet(false)}>
          <FilterSheet {...query} found={found} onClose={() => openSheet(false)} />
        </PartBoundary>
      )}
    </div>
  )
}
