'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { type Ref, useRef } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { LoadFailure } from '#app/ui/states.tsx'
import { AsOf, refetchOld } from '#app/ui/times.tsx'
import { useMedia } from '#app/ui/use-media.ts'
import { useSettled } from '#app/ui/use-settled.ts'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import type { BoardColumn } from '#server/deals/find/wire.ts'
import { ViewsButton } from '../deals-menus.tsx'
import { ListCard } from '../list-card.tsx'
import { NothingFound } from '../nothing-found.tsx'
import { QueryHead } from '../query-head.tsx'
import { filterOf } from '../query.ts'
import { type DealsQuery, useDealsState } from '../use-deals-state.ts'
import { StageColumn } from './board-column.tsx'
import { columnsAtOnce } from './columns.ts'

// The board costs more than the list, so it is not requested on every keystroke.
const settleMs = 150

/** Shows the matching deals by stage. `today` is the server's day; `isPhone` its guess from the user agent. */
export function BoardPage({ today, isPhone }: { today: string; isPhone: boolean }) {
  const [state, change] = useDealsState()
  const columns = useRef<HTMLOListElement>(null)
  const isNarrow = useMedia('(max-width: 47.99rem)', isPhone)
  const q = useSettled(state.q, settleMs)
  const settled = { ...state, q }
  const board = trpc.deals.board.useQuery(
    { filter: filterOf(settled, today) },
    { placeholderData: keepPreviousData, refetchInterval: refetchOld },
  )
  const nowMs = useShownAt(board)
  return (
    <div data-wide data-fill className="flex flex-col">
      <QueryHead
        title="Board"
        total={board.data && totalOf(board.data.columns)}
        query={{ state, change, today }}
        isNarrow={isNarrow}
        isBusy={board.isPlaceholderData || q !== state.q}
        toRows={() => columns.current?.querySelector<HTMLElement>('a[data-card]')?.focus()}
      >
        {board.data !== undefined && board.data.asOf !== null && (
          <p className="text-ink-soft">
            <AsOf asOf={board.data.asOf} nowMs={nowMs} />
          </p>
        )}
        <div className="ml-auto">
          <ViewsButton state={state} change={change} />
        </div>
      </QueryHead>
      {board.data === undefined ? (
        <NotLoaded error={board.error} retry={board.refetch} />
      ) : (
        <Columns
          ref={columns}
          columns={board.data.columns}
          query={{ state: settled, change, today }}
          isBehind={board.isPlaceholderData}
        />
      )}
    </div>
  )
}

const totalOf = (columns: BoardColumn[]) => ({
  count: columns.reduce((sum, { count }) => sum + count, 0),
  isMore: columns.some(({ isMore }) => isMore),
  amount: columns.reduce<number | null>(
    (sum, { amount }) => (sum === null || amount === null ? null : sum + amount),
    0,
  ),
  withoutAmount: columns.reduce((sum, column) => sum + (column.withoutAmount ?? 0), 0),
})

function NotLoaded({ error, retry }: { error: unknown; retry: () => unknown }) {
  if (error === null) return <BoardSkeleton />
  return (
    <ListCard>
      <LoadFailure what="the board" retry={retry}>
        {failureMessage(error)}
      </LoadFailure>
    </ListCard>
  )
}

function Columns({
  ref,
  columns,
  query,
  isBehind,
}: {
  ref: Ref<HTMLOListElement>
  columns: BoardColumn[]
  query: DealsQuery
  isBehind: boolean
}) {
  if (columns.length === 0)
    return (
      <ListCard>
        <NothingFound {...query} />
      </ListCard>
    )
  return (
    <ol
      ref={ref}
      aria-label="Stages"
      aria-busy={isBehind}
      className={`relative -mx-4 flex min-h-0 flex-1 snap-x scroll-px-4 gap-3 overflow-x-auto px-4 pb-3 max-md:snap-mandatory sm:-mx-6 sm:scroll-px-6 sm:px-6 ${isBehind ? 'opacity-60' : ''}`}
    >
      {columns.map((column, index) => (
        <StageColumn
          key={column.stage}
          column={column}
          state={query.state}
          today={query.today}
          isRead={index < columnsAtOnce}
        />
      ))}
    </ol>
  )
}

/** The placeholder of the board while it loads. */
function BoardSkeleton() {
  return (
    <div role="status" className="min-h-0 flex-1 overflow-hidden">
      <span className="sr-only">Loading board…</span>
      <div aria-hidden="true" className="flex h-full animate-pulse gap-3">
        {Array.from({ length: 6 }, (_, column) => (
          <div key={column} className="w-72 shrink-0 space-y-2 rounded-xl bg-sunken p-2">
            <div className="m-2 h-4 w-32 rounded-full bg-line" />
            {Array.from({ length: 5 - (column % 3) }, (_each, card) => (
              <div key={card} className="h-23 rounded-lg border border-line bg-surface" />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
