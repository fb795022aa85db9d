'use client'

import { useMemo } from 'react'
import { trpc } from '#app/trpc.ts'
import { formatCountOf } from '#app/ui/format.ts'
import { useSettled } from '#app/ui/use-settled.ts'
import { minuteMs } from '#server/values/units.ts'
import { filterWithout } from '../active-filters.ts'
import type { DealsQuery } from '../use-deals-state.ts'
import { filterOffers } from './filter-words.ts'

// Wait for a pause in typing: nobody reads suggestions in between.
const pauseMs = 200

/** Suggests filters that match words of the search, each with the number of deals. */
export function FilterOffers({ state, change, today }: DealsQuery) {
  const typed = state.q.trim()
  const settled = useSettled(typed, pauseMs)
  const { data: choices } = trpc.deals.choices.useQuery({}, { staleTime: minuteMs, enabled: settled !== '' })
  const offers = useMemo(
    () => (choices === undefined ? [] : filterOffers(settled, choices)),
    [choices, settled],
  )
  const counts = trpc.useQueries((queries) =>
    offers.map(({ patch }) => queries.deals.count({ filter: filterWithout(state, patch, today) })),
  )
  const useful = offers
    .map((offer, index) => ({ ...offer, count: 0, isMore: false, ...counts[index]?.data }))
    .filter(({ count }) => count > 0)
  if (typed !== settled || useful.length === 0) return null
  return (
    <ul aria-label="Suggested filters" className="flex flex-wrap items-center gap-2 print:hidden">
      {useful.map(({ label, patch, count, isMore }) => (
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
