'use client'

import dynamic from 'next/dynamic'
import { useCallback, useMemo, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { lazyPart } from '#app/ui/lazy-part.ts'
import { loadPart } from '#app/ui/load-part.ts'
import { NotLoaded } from '#app/ui/states.tsx'
import { useMedia } from '#app/ui/use-media.ts'
import { DealsMenus } from './deals-menus.tsx'
import { ListCard, LoadingMore } from './list-card.tsx'
import { QueryHead, type Total } from './query-head.tsx'
import { type DealsState, viewQuery } from './query.ts'
import { similarText } from './similar-text.ts'
import { DealsTable, headHeight, rowHeights, cardHeight } from './table/deals-table.tsx'
import { useChosen } from './table/use-chosen.ts'
import { useRows } from './table/use-rows.ts'
import { type DealsQuery, useDealsState, type Peek, usePeek } from './use-deals-state.ts'
import { type Row, useCount, useDeals, useSimilar } from './use-deals.ts'

// Loaded when needed.
const NothingFound = lazyPart(() => import('./nothing-found.tsx').then((module) => module.NothingFound))
const ChosenBar = lazyPart(() => import('./chosen-bar.tsx').then((module) => module.ChosenBar))
const PeekPanel = lazyPart(() => import('./peek-panel.tsx').then((module) => module.PeekPanel))
const DealsCards = dynamic(() =>
  loadPart(() => import('./table/deals-cards.tsx')).then((module) => module.DealsCards),
)

/** Shows the deals that match the query. `today` is the server's day; `isPhone` its guess from the user agent. */
export function DealsPage({ today, isPhone }: { today: string; isPhone: boolean }) {
  const [state, change] = useDealsState()
  const query = { state, change, today }
  const isNarrow = useMedia('(max-width: 47.99rem)', isPhone)
  const peek = usePeek()
  const found = useDealsList(state, today, isNarrow, peek)
  const { chosen } = found.list
  return (
    <div
      data-wide
      data-fill
      // Selected rows stay above the bar.
      className="flex flex-col has-[>[role=toolbar]]:pb-16 max-md:has-[>[role=toolbar]>a]:pb-36"
    >
      <QueryHead
        total={found.total}
        query={query}
        isNarrow={isNarrow}
        isBusy={found.isBehind}
        toRows={found.list.drawn.enter}
      >
        <DealsMenus
          state={state}
          change={change}
          hasColumns={!isNarrow}
          print={found.print}
          select={isNarrow ? () => chosen.setChoosing(true) : undefined}
        />
      </QueryHead>
      <div className="flex min-h-0 flex-1 gap-4">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <Results found={found} query={query} isNarrow={isNarrow} peek={peek} />
        </div>
        {peek.id !== null && !isNarrow && (
          <PeekPanel key={peek.id} id={peek.id} onClose={() => peek.show(null)} />
        )}
      </div>
      {(chosen.rows.length > 0 || chosen.isChoosing) && <ChosenBar chosen={chosen} state={state} />}
    </div>
  )
}

function Results({
  found: { list, similarWords, hasMore, isLoaded, error, refetch },
  query,
  isNarrow,
  peek,
}: {
  found: ReturnType<typeof useDealsList>
  query: DealsQuery
  isNarrow: boolean
  peek: Peek
}) {
  if (!isLoaded)
    return (
      <ListCard>
        <NotLoaded what="deals" error={error} retry={refetch} />
      </ListCard>
    )
  if (list.rows.length === 0)
    return (
      <ListCard>
        {hasMore ? (
          <LoadingMore {...list} isLoading what="Looking for matching deals" />
        ) : (
          <NothingFound {...query} />
        )}
      </ListCard>
    )
  return (
    <>
      {list.similarFrom !== undefined && (
        <p role="status" className="mb-2 shrink-0 wrap-anywhere text-ink-soft">
          {similarText(list.similarFrom, similarWords, query.state.q)}
        </p>
      )}
      {isNarrow ? (
        <DealsCards {...list} />
      ) : (
        <DealsTable {...list} peek={peek} state={query.state} change={query.change} />
      )}
    </>
  )
}

const noRows: Row[] = []

/** Loads the matching deals, page by page on scrolling. */
function useDealsList(state: DealsState, today: string, isNarrow: boolean, peek: Peek) {
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
    /** A failed search has no total; do not show the previous one. */
    total: rows === undefined ? undefined : withSimilar(total, similar.deals.length),
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
      isFailed: isFetchNextPageError,
      isLoading: isFetchingNextPage,
      loadMore,
      chosen,
    },
  }
}

/** Returns the total of exact matches; without any, the number of similar deals. */
const withSimilar = (total: Total, similarCount: number): Total =>
  total?.count === 0 && similarCount > 0
    ? { count: similarCount, isMore: false, amount: null, isSimilar: true }
    : total

/** Returns all rows to render; when printed, they are not positioned. */
const allOf = (rows: Row[]) =>
  rows.map((_, index) => ({ key: index, index, start: 0, end: 0, size: 0, lane: 0 }))

/** Maximum printed deals, about 60 pages. */
const printedMax = 2000

/** Returns whether the page is being printed, and a function that prints all matching deals. */
function usePrint({
  rows,
  hasNextPage,
  fetchNextPage,
}: Pick<ReturnType<typeof useDeals>, 'rows' | 'hasNextPage' | 'fetchNextPage'>) {
  const [isPrinting, setPrinting] = useState(false)

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
