'use client'

import { SlidersHorizontal } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type ReactNode, useState } from 'react'
import { PartBoundary } from '#app/ui/failure.tsx'
import { formatCount, formatCountOf, formatDollars } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { activeFilters } from './active-filters.ts'
import { Chips } from './filters/chips.tsx'
import { FilterBar } from './filters/filter-bar.tsx'
import { FilterButton } from './filters/filter-button.tsx'
import { type DealsState, dealsHref } from './query.ts'
import { SearchField } from './search-field.tsx'
import type { DealsQuery } from './use-deals-state.ts'

// Loaded when first opened.
const FilterSheet = dynamic(() => import('./filters/filter-sheet.tsx').then((module) => module.FilterSheet), {
  ssr: false,
})

// Loaded with the first search.
const FilterOffers = dynamic(
  () => import('./filters/filter-offers.tsx').then((module) => module.FilterOffers),
  { ssr: false },
)

/** Number of matching deals (or a lower bound) and their amount if known; undefined while loading. */
export type Total =
  | { count: number; isMore: boolean; amount: number | null; withoutAmount?: number | null }
  | undefined

/** Returns whether no deal was counted, although there may be some. */
export const isUnknown = ({ count, isMore }: Pick<NonNullable<Total>, 'count' | 'isMore'>) =>
  count === 0 && isMore

/**
 * Shows the header of the list and the board: title, totals, search and filters; `children` are its menus.
 */
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
        <p role="status" className="text-ink-soft tabular-nums max-sm:order-last max-sm:w-full">
          {total !== undefined && !isUnknown(total) && (
            <>
              {found}
              <Amount total={total} state={state} />
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
      {state.q.trim() !== '' && <FilterOffers {...query} />}
      <Chips state={state} change={change} />
      {isNarrow && isSheetOpen && (
        <PartBoundary onClose={() => openSheet(false)}>
          <FilterSheet {...query} found={found} onClose={() => openSheet(false)} />
        </PartBoundary>
      )}
    </div>
  )
}

/** Shows the total amount, and the number of deals without one, as a link to them. */
function Amount({ total, state }: { total: NonNullable<Total>; state: DealsState }) {
  const { count, amount, withoutAmount } = total
  if (amount === null || withoutAmount === count) return null
  return (
    <>
      <span className="whitespace-nowrap"> · {formatDollars(amount)}</span>
      {!!withoutAmount && (
        <>
          {' · '}
          <Link
            href={dealsHref({ ...state, lacks: [...state.lacks, 'amount'] })}
            prefetch={false}
            className="whitespace-nowrap underline print:no-underline"
          >
            {formatCount(withoutAmount)} without an amount
          </Link>
        </>
      )}
    </>
  )
}
