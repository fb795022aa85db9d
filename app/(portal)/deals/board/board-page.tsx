'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { CloudOff, SlidersHorizontal } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type ReactNode, useRef, useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { formatCountOf, formatDollars } from '#app/ui/format.ts'
import { Notice } from '#app/ui/notice.tsx'
import { useMedia } from '#app/ui/use-media.ts'
import { useSettled } from '#app/ui/use-settled.ts'
import { activeFilters } from '../active-filters.ts'
import { Chips } from '../filters/chips.tsx'
import { FilterBar } from '../filters/filter-bar.tsx'
import { FilterButton } from '../filters/filter-button.tsx'
import { NothingFound } from '../nothing-found.tsx'
import { filterOf } from '../query.ts'
import { SearchField } from '../search-field.tsx'
import { useDealsState } from '../use-deals-state.ts'
import { StageColumn } from './board-column.tsx'
import { BoardSkeleton } from './board-skeleton.tsx'
import { columnsAtOnce } from './columns.ts'

// Loaded when first opened.
const FilterSheet = dynamic(
  () => import('../filters/filter-sheet.tsx').then((module) => module.FilterSheet),
  { ssr: false },
)

// The board costs more than the list, so it is not requested on every keystroke.
const settleMs = 150

/** Shows the matching deals by stage. `today` is the server's day; `isPhone` its guess from the user agent. */
export function BoardPage({ today, isPhone }: { today: string; isPhone: boolean }) {
  const [state, change] = useDealsState()
  const [isSheetOpen, openSheet] = useState(false)
  const columnsRef = useRef<HTMLOListElement>(null)
  const isNarrow = useMedia('(max-width: 47.99rem)', isPhone)
  const q = useSettled(state.q, settleMs)
  const settled = { ...state, q }
  const { data, error, refetch, isPlaceholderData } = trpc.deals.board.useQuery(
    { filter: filterOf(settled, today) },
    { placeholderData: keepPreviousData },
  )
  const columns = data?.columns
  const [count, amount] = (columns ?? []).reduce(
    ([deals, dollars], column) => [deals + column.count, dollars + column.amount],
    [0, 0],
  )
  const found = formatCountOf(count, 'deal')
  const toCards = () => columnsRef.current?.querySelector<HTMLElement>('a[data-card]')?.focus()

  return (
    <div data-wide data-fill className="flex flex-col">
      <div className="mb-3 shrink-0 space-y-3">
        <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="text-xl font-semibold tracking-tight">Board</h1>
          <p role="status" className="text-ink-soft tabular-nums">
            {columns !== undefined && (
              <>
                {found}
                {count > 0 && <span className="whitespace-nowrap"> · {formatDollars(amount)}</span>}
              </>
            )}
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <SearchField isBusy={isPlaceholderData || q !== state.q} toRows={toCards} />
          {isNarrow ? (
            <FilterButton
              label="Filters"
              icon={SlidersHorizontal}
              count={activeFilters(state).length}
              aria-haspopup="dialog"
              onClick={() => openSheet(true)}
            />
          ) : (
            <FilterBar state={state} change={change} today={today} />
          )}
        </div>
        <Chips state={state} change={change} />
        {isNarrow && isSheetOpen && (
          <FilterSheet
            state={state}
            change={change}
            today={today}
            found={found}
            onClose={() => openSheet(false)}
          />
        )}
      </div>
      {columns === undefined ? (
        error === null ? (
          <BoardSkeleton />
        ) : (
          <Card>
            <Notice
              icon={CloudOff}
              title="Could not load the board"
              action={
                <button type="button" onClick={() => void refetch()} className={button.primary}>
                  Try again
                </button>
              }
            >
              {failureMessage(error)}
            </Notice>
          </Card>
        )
      ) : columns.length === 0 ? (
        <Card>
          <NothingFound state={settled} change={change} today={today} />
        </Card>
      ) : (
        <ol
          ref={columnsRef}
          aria-label="Stages"
          aria-busy={isPlaceholderData}
          className={`relative -mx-4 flex min-h-0 flex-1 snap-x scroll-px-4 gap-3 overflow-x-auto px-4 pb-3 max-md:snap-mandatory sm:-mx-6 sm:scroll-px-6 sm:px-6 ${isPlaceholderData ? 'opacity-60' : ''}`}
        >
          {columns.map((column, index) => (
            <StageColumn
              key={column.stage}
              column={column}
              state={settled}
              today={today}
              isRead={index < columnsAtOnce}
            />
          ))}
        </ol>
      )}
    </div>
  )
}

const Card = ({ children }: { children: ReactNode }) => (
  <div className="min-h-0 flex-1 overflow-y-auto rounded-xl border border-line bg-surface">{children}</div>
)
