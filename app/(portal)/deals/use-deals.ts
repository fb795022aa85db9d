'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { useMemo } from 'react'
import { trpc } from '#app/trpc.ts'
import { useSettled } from '#app/ui/use-settled.ts'
import { useVisibleAt } from '#app/ui/use-visible-at.ts'
import type { FoundDeals, FoundRow } from '#server/search/router.ts'
import type { Prepared } from '#server/values/prepared.ts'
import { useViewer } from '../viewer-of-page.tsx'
import { findInput, pageSize } from './find-input.ts'
import { type DealsState, filterOf } from './query.ts'

export type Row = FoundRow

// Debounce delay for keys that are held down. Takes little of the 150 ms budget for a response to typing.
const settleMs = 25

// Debounce delay of the count: nobody reads it between keystrokes.
const pauseMs = 200

// Cancel outdated requests, and do not make rows wait for the slower count in a batch.
const alone = { abortOnUnmount: true, context: { isAlone: true } }

/** Caches parsed pages, so that each page is parsed only once. */
const read = new WeakMap<Prepared<FoundDeals>, FoundDeals>()

function readPage(page: Prepared<FoundDeals>): FoundDeals {
  const known = read.get(page) ?? page.value()
  read.set(page, known)
  return known
}

/** Loads the deals that match the state. Keeps the previous deals while loading. */
export function useDeals(state: DealsState, today: string) {
  const q = useSettled(state.q, settleMs)
  const settled = { ...state, q }
  const { seesAllPartners } = useViewer()
  const found = trpc.deals.find.useInfiniteQuery(findInput(settled, today, seesAllPartners), {
    initialCursor: null,
    getNextPageParam: (page) => readPage(page).next,
    placeholderData: keepPreviousData,
    trpc: alone,
  })
  const { data } = found
  const rows = useMemo<Row[] | undefined>(() => data?.pages.flatMap((page) => readPage(page).deals), [data])
  return { ...found, rows, nowMs: useVisibleAt(found), isBehind: found.isPlaceholderData || q !== state.q }
}

/** Result if there are no similar deals. */
const noSimilar = { deals: [] as Row[], words: [] as string[] }

/**
 * If less than a page of deals match exactly, loads deals that match apart from one typo in the search.
 * `exact` is undefined while more exact matches may follow.
 */
export function useSimilar(state: DealsState, today: string, exact: Row[] | undefined, isBehind: boolean) {
  const { seesAllPartners } = useViewer()
  const isWanted = state.q.trim() !== '' && exact !== undefined && exact.length < pageSize
  const { data, isPlaceholderData, isLoading } = trpc.deals.similar.useQuery(
    findInput(state, today, seesAllPartners),
    {
      enabled: isWanted && !isBehind,
      select: (prepared) => prepared.value(),
      placeholderData: keepPreviousData,
      trpc: alone,
    },
  )
  const similar = isWanted ? (data ?? noSimilar) : noSimilar
  const deals = useMemo(() => {
    const found = new Set(exact?.map(({ id }) => id))
    return similar.deals.filter(({ id }) => !found.has(id))
  }, [similar.deals, exact])
  return {
    deals,
    words: similar.words,
    /** True if the similar deals belong to the previous search. */
    isBehind: isWanted && isPlaceholderData,
    isLoading: isWanted && isLoading,
  }
}

/** Loads the number and total amount of matching deals, after the deals have loaded and typing pauses. */
export function useCount(state: DealsState, today: string, isBehind: boolean) {
  const q = useSettled(state.q, pauseMs)
  return trpc.deals.count.useQuery(
    { filter: filterOf({ ...state, q }, today) },
    { placeholderData: keepPreviousData, enabled: !isBehind && q === state.q, trpc: alone },
  )
}
