'use client'

import dynamic from 'next/dynamic'
import {
  useMedia,
  type DealsQuery,
  useDealsState,
  type Peek,
  usePeek,
} from '#app/(portal)/deals/use-deals-state.ts'
import { formatCountOf } from '#app/ui/format.ts'
import { lazyPart, loadPart } from '#app/ui/load-part.ts'
import { NotLoaded } from '#app/ui/states.tsx'
import { similarText } from './deal-text.ts'
import { DealsMenus } from './deals-menus.tsx'
import { DealsTable } from './deals-table.tsx'
import { ListCard, LoadingMore } from './list-card.tsx'
import { QueryHead } from './query-head.tsx'
import { useDealsList } from './use-deals-list.ts'

const ChosenBar = lazyPart(() => import('./chosen-bar.tsx').then((module) => module.ChosenBar))
const PeekPanel = lazyPart(() => import('./peek-panel.tsx').then((module) => module.PeekPanel))
// In the server's first response, too.
const NothingFound = dynamic(() =>
  loadPart(() => import('./nothing-found.tsx')).then((module) => module.NothingFound),
)
const DealsCards = dynamic(() =>
  loadPart(() => import('./deals-cards.tsx')).then((module) => module.DealsCards),
)

/** Shows the matching deals. `isPhone` is the server's guess from the user agent. */
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
      // Keep the selected rows above the toolbar.
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
      <div
        ref={list.drawn.scroller}
        onKeyDown={list.drawn.onKeyDown}
        className={`min-h-0 flex-1 overscroll-contain print:overflow-visible ${isNarrow ? '-mx-4 overflow-y-auto px-4 sm:-mx-6 sm:px-6' : 'overflow-auto rounded-xl border border-line bg-surface print:border-0'}`}
      >
        {isNarrow ? (
          <DealsCards {...list} />
        ) : (
          <DealsTable list={list} peek={peek} state={query.state} change={query.change} />
        )}
        {list.hasMore && (
          <p className="hidden py-2 print:block">The first {formatCountOf(list.rows.length, 'deal')}.</p>
        )}
        <LoadingMore {...list} />
      </div>
    </>
  )
}
