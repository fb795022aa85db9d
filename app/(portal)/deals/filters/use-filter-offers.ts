import { useMemo } from 'react'
import { trpc } from '#app/trpc.ts'
import { useSettled } from '#app/ui/use-settled.ts'
import { minuteMs } from '#server/values/units.ts'
import { filterWithout } from '../active-filters.ts'
import type { FilterState } from '../query.ts'
import { filterOffers } from './filter-words.ts'

// Offers wait for a pause in typing: nobody reads one before the last key.
const pauseMs = 200

/**
 * Returns the filters that match a text, with the number of deals that each yields when added to the state.
 */
export function useFilterOffers(text: string, state: FilterState, today: string) {
  const typed = text.trim()
  const settled = useSettled(typed, pauseMs)
  const { data: choices } = trpc.deals.choices.useQuery({}, { staleTime: minuteMs, enabled: settled !== '' })
  const offers = useMemo(
    () => (choices === undefined || settled === '' ? [] : filterOffers(settled, choices)),
    [choices, settled],
  )
  const counts = trpc.useQueries((queries) =>
    offers.map(({ patch }) => queries.deals.count({ filter: filterWithout(state, patch, today) })),
  )
  if (typed !== settled) return []
  return offers.flatMap((offer, index) => {
    const counted = counts[index]?.data
    return counted === undefined || counted.count === 0 ? [] : [{ ...offer, ...counted }]
  })
}
