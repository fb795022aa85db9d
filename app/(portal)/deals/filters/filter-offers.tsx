'use client'

import { formatCountOf } from '#app/ui/format.ts'
import type { DealsQuery } from '../use-deals-state.ts'
import { useFilterOffers } from './use-filter-offers.ts'

/** Offers filters that match the words of the search. */
export function FilterOffers({ state, change, today }: DealsQuery) {
  const offers = useFilterOffers(state.q, state, today)
  if (offers.length === 0) return null
  return (
    <ul aria-label="Suggested filters" className="flex flex-wrap items-center gap-2 print:hidden">
      {offers.map(({ label, patch, count, isMore }) => (
        <li key={label} className="max-w-full min-w-0">
          <button
            type="button"
            onClick={() => change(patch)}
            className="touch flex max-w-full items-center gap-2 rounded-lg border border-line bg-surface px-3 py-1.5 text-left hover:bg-sunken"
          >
            <span className="min-w-0 wrap-anywhere">
              <span className="text-ink-soft">Show:</span> {label}
            </span>
            <span className="shrink-0 text-ink-soft tabular-nums">
              {formatCountOf(count, 'deal', isMore)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
