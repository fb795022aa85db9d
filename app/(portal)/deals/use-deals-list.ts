'use client'

import { useCallback, useMemo, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type DealsState, viewQuery } from './query.ts'
import { cardHeight } from './table/card-height.ts'
import { type DealsListProps, headHeight, rowHeights } from './table/deals-table.tsx'
import { useChosen } from './table/use-chosen.ts'
import { useRows } from './table/use-rows.ts'
import { type Row, useCount, useDeals, useSimilar } from './use-deals.ts'
import type { Peek } from './use-peek.ts'

const noRows: Row[] = []

/** Loads the matching deals, page by page on scrolling. */
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
  const asked = viewQuery({ ...state, columns: null, widths: null, density: 'comfortable' })
  const chosen = useChosen(rows ?? noRows, asked)
  const drawn = useRows({
    rows: rows ?? noRows,
    hasMore: hasNextPage && !isFetchingNextPage && !isFetchNextPageError && !isBehind,
    loadMore,
    rowHeight: isNarrow ? cardHeight : rowHeights[state.density],
    headHeight: isNarrow ? 0 : headHeight,
    asked,
    chosen,
    peek,
  })
  return {
    isLoaded: rows !== undefined,
    isBehind,
    error,
    refetch,
    /** A failed search has no total; do not show the previous one. */
    total: rows === undefined ? undefined : total,
    /** Whether there are unscanned deals. */
    hasMore: hasNextPage || similar.isLoading,
    similarWords: similar.words,
    print,
    list: {
      rows: rows ?? noRows,
      drawn: isPrinting ? { ...drawn, items: allOf(rows ?? noRows) } : drawn,
      /** Whether there are deals that are not among the rows. */
      hasMore: hasNextPage,
      count: total === undefined || total.isMore ? undefined : total.count + similar.deals.length,
      /** The index of the first row that only matches as similar; undefined if there is none. */
      similarFrom: similar.deals.length === 0 ? undefined : exact?.length,
      nowMs,
      isBehind,
      more: moreOf({ isFetchNextPageError, isFetchingNextPage }),
      loadMore,
      chosen,
    },
  }
}

/** Returns all rows to render; when printed, they are not positioned. */
const allOf = (rows: Row[]) =>
  rows.map((_, index) => ({ key: index, index, start: 0, end: 0, size: 0, lane: 0 }))

/** Returns the state of the list's end: loading, failed or complete. */
function moreOf(page: {
  isFetchNextPageError: boolean
  isFetchingNextPage: boolean
}): DealsListProps['more'] {
  if (page.isFetchNextPageError) return 'failed'
  return page.isFetchingNextPage ? 'loading' : 'none'
}

/** Maximum printed deals, about 60 pages. */
const printedMax = 2000

/** Returns whether the page is being printed, and a function that prints all matching deals. */
function usePrint({
  rows,
  hasNextPage,
  fetchNextPage,
}: Pick<ReturnType<typeof useDeals>, 'rows' | 'hasNextPage' | 'fetchNextPage'>) {
  const [isPrinting, setPrinting] = useState(false)
  const loaded = useRef({ count: 0, hasMore: false })
  loaded.current = { count: rows?.length ?? 0, hasMore: hasNextPage }

  useEffect(() => {
    // The browser prints the page as it is when the handler returns.
    const begin = () => flushSync(() => setPrinting(true))
    const end = () => setPrinting(false)
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
    }
  }, [])

  const print = useCallback(async () => {
    let { count, hasMore } = loaded.current
    while (hasMore && count < printedMax) {
      const next = await fetchNextPage()
      if (next.isError) break
      hasMore = next.hasNextPage
      count += next.data?.pages.at(-1)?.value().deals.length ?? 0
    }
    window.print()
  }, [fetchNextPage])

  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event
      if (key.toLowerCase() !== 'p' || !(ctrlKey || metaKey) || altKey || shiftKey) return
      event.preventDefault()
      void print()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [print])

  return { isPrinting, print }
}
