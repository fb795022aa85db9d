'use client'

import { useCallback, useEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Total } from './query-head.tsx'
import { type DealsState, viewQuery } from './query.ts'
import { cardHeight, headHeight, rowHeights } from './table/columns.ts'
import { useChosen } from './table/use-chosen.ts'
import { useRows } from './table/use-rows.ts'
import type { Peek } from './use-deals-state.ts'
import { type Row, useCount, useDeals, useSimilar } from './use-deals.ts'

/** The loaded part of the list. */
export type DealsList = ReturnType<typeof useDealsList>['list']

const noRows: Row[] = []

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
    /** True if deals remain to be searched. */
    hasMore: hasNextPage || similar.isLoading,
    similarWords: similar.words,
    print,
    list: {
      rows: rows ?? noRows,
      drawn: isPrinting ? { ...drawn, items: allOf(rows ?? noRows) } : drawn,
      /** True if more rows can be loaded. */
      hasMore: hasNextPage,
      /** Number of matching deals; undefined while unknown. */
      count: total === undefined || total.isMore ? undefined : total.count + similar.deals.length,
      /** Index of the first similar match; undefined if there is none. */
      similarFrom: similar.deals.length === 0 ? undefined : exact?.length,
      nowMs,
      /** True if the rows belong to the previous query. */
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

/** Returns all rows without positions, for printing. */
const allOf = (rows: Row[]) =>
  rows.map((_, index) => ({ key: index, index, start: 0, end: 0, size: 0, lane: 0 }))

/** Maximum number of printed deals, about 60 pages. */
const printedMax = 2000

/** Returns whether the page is being printed, and a function that prints all matching deals. */
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
