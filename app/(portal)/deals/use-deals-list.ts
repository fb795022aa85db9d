'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { useMemo, useCallback, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { trpc } from '#app/trpc.ts'
import { useVisibleAt } from '#app/ui/times.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import { useViewer } from '#app/ui/viewer.tsx'
import type { FoundDeals, FoundRow } from '#server/search/router.ts'
import type { Prepared } from '#server/values/prepared.ts'
import { cardHeight, headHeight, rowHeights } from './columns.ts'
import type { Total } from './query-head.tsx'
import { findInput, pageSize, type DealsState, filterOf, viewQuery } from './query.ts'
import type { Peek } from './use-deals-state.ts'
import { useChosen, useRows } from './use-rows.ts'

/** The loaded part of the list. */
export type DealsList = ReturnType<typeof useDealsList>['list']

const noRows: FoundRow[] = []

/** Loads the matching deals page by page while the user scrolls. */
export function useDealsList(state: DealsState, today: string, isNarrow: boolean, peek: Peek) {
  const deals = useDeals(state, today)
  const {
    rows: exact,
    isBehind: isExactBehind,
    error,
    refetch,
    hasNextPage,
    isFetchingNextPage,
    isFetchNextPageError,
    fetchNextPage,
    nowMs,
  } = deals
  const { isPrinting, print } = usePrint(deals)
  const { data: total } = useCount(state, today, isExactBehind)
  const similar = useSimilar(state, today, hasNextPage ? undefined : exact, isExactBehind)
  const rows = useMemo(() => exact && [...exact, ...similar.deals], [exact, similar.deals])
  const isBehind = isExactBehind || similar.isBehind
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage])
  const listKey = viewQuery({ ...state, columns: null, density: 'comfortable' })
  const chosen = useChosen(rows ?? noRows, listKey)
  const drawn = useRows({
    rows: rows ?? noRows,
    hasMore: hasNextPage && !isFetchingNextPage && !isFetchNextPageError && !isBehind,
    loadMore,
    rowHeight: isNarrow ? cardHeight : rowHeights[state.density],
    headHeight: isNarrow ? 0 : headHeight,
    listKey,
    chosen,
    peek,
  })
  return {
    isLoaded: rows !== undefined,
    isBehind,
    error,
    refetch,
    /** Undefined if the search failed, instead of the total of the previous search. */
    total: rows === undefined ? undefined : withSimilar(total, similar.deals.length),
    hasMore: hasNextPage || similar.isLoading,
    similarWords: similar.words,
    print,
    list: {
      rows: rows ?? noRows,
      drawn: isPrinting ? { ...drawn, items: allOf(rows ?? noRows) } : drawn,
      hasMore: hasNextPage,
      count: total === undefined || total.isMore ? undefined : total.count + similar.deals.length,
      similarFrom: similar.deals.length === 0 ? undefined : exact?.length,
      nowMs,
      isBehind,
      isFailed: isFetchNextPageError,
      isLoading: isFetchingNextPage,
      loadMore,
      chosen,
    },
  }
}

/** Returns the total of exact matches, or the number of similar deals if there are no exact matches. */
const withSimilar = (total: Total, similarCount: number): Total =>
  total?.count === 0 && similarCount > 0
    ? { count: similarCount, isMore: false, amount: null, isSimilar: true }
    : total

const allOf = (rows: FoundRow[]) =>
  rows.map((_, index) => ({ key: index, index, start: 0, end: 0, size: 0, lane: 0 }))

/** Maximum number of printed deals, about 60 pages. */
const printedMax = 2000

function usePrint({
  rows,
  hasNextPage,
  fetchNextPage,
}: Pick<ReturnType<typeof useDeals>, 'rows' | 'hasNextPage' | 'fetchNextPage'>) {
  const [isPrinting, setPrinting] = useState(false)

  useEffect(() => {
    // Render synchronously: the browser prints the page as soon as the handler returns.
    const begin = () => flushSync(() => setPrinting(true))
    const end = () => setPrinting(false)
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
    }
  }, [])

  async function print() {
    let count = rows?.length ?? 0
    for (let hasMore = hasNextPage; hasMore && count < printedMax;) {
      const next = await fetchNextPage()
      if (next.isError) break
      hasMore = next.hasNextPage
      count += next.data?.pages.at(-1)?.value().deals.length ?? 0
    }
    window.print()
  }

  return { isPrinting, print }
}

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
  const rows = useMemo<FoundRow[] | undefined>(
    () => data?.pages.flatMap((page) => readPage(page).deals),
    [data],
  )
  return { ...found, rows, nowMs: useVisibleAt(found), isBehind: found.isPlaceholderData || q !== state.q }
}

const noSimilar = { deals: [] as FoundRow[], words: [] as string[] }

/** If less than a page of deals match exactly, loads deals that match apart from one typo. */
function useSimilar(state: DealsState, today: string, exact: FoundRow[] | undefined, isBehind: boolean) {
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
    isBehind: isWanted && isPlaceholderData,
    isLoading: isWanted && isLoading,
  }
}

/** Loads the number and total amount of matching deals, after the deals have loaded and typing pauses. */
function useCount(state: DealsState, today: string, isBehind: boolean) {
  const q = useSettled(state.q, pauseMs)
  return trpc.deals.count.useQuery(
    { filter: filterOf({ ...state, q }, today) },
    { placeholderData: keepPreviousData, enabled: !isBehind && q === state.q, trpc: alone },
  )
}
