'use client'

import { type CSSProperties, useMemo } from 'react'
import { formatCountOf } from '#app/ui/format.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import { type ColumnId, columnsOf, sortOf } from '../query.ts'
import type { DealsQuery } from '../use-deals-state.ts'
import type { Row } from '../use-deals.ts'
import type { Peek } from '../use-peek.ts'
import { sortAfter, tracksOf, widthOf } from './columns.ts'
import { TableHead } from './head.tsx'
import { LoadingMore } from './loading-more.tsx'
import { TableRow } from './table-row.tsx'
import type { useChosen } from './use-chosen.ts'
import { useResize } from './use-resize.ts'
import type { useRows } from './use-rows.ts'

/** Pixels. */
export const rowHeights = { comfortable: 60, compact: 40 }
export const headHeight = 40

/** Dims rows of the previous query, after a delay so that quick responses do not flicker. */
export const dimmed = 'opacity-60 transition-opacity delay-200'

export interface DealsListProps {
  rows: Row[]
  drawn: ReturnType<typeof useRows>
  /** The number of matching deals; undefined while unknown. */
  count: number | undefined
  /** The index of the first row that is similar to the search only; undefined when there is none. */
  similarFrom: number | undefined
  /** Whether there are more deals than rows. */
  hasMore: boolean
  nowMs: number
  /** Whether the rows belong to the previous query. */
  isBehind: boolean
  more: 'none' | 'loading' | 'failed'
  loadMore: () => void
  chosen: ReturnType<typeof useChosen>
}

/** Shows deals as a table that renders only the visible rows. */
export function DealsTable({
  rows,
  drawn,
  count,
  similarFrom,
  hasMore,
  nowMs,
  isBehind,
  more,
  loadMore,
  chosen,
  peek,
  ...query
}: DealsListProps & Pick<DealsQuery, 'state' | 'change'> & { peek: Peek }) {
  const { state, change } = query
  const { seesAllPartners } = useViewer()
  const columns = useMemo(
    () => columnsOf({ columns: state.columns, sort: state.sort }, seesAllPartners),
    [state.columns, state.sort, seesAllPartners],
  )
  const { widths, handle } = useWidths(query)
  return (
    <div
      ref={drawn.scroller}
      onKeyDown={drawn.onKeyDown}
      className="min-h-0 flex-1 overflow-auto overscroll-contain rounded-xl border border-line bg-surface print:overflow-visible print:border-0"
    >
      <div
        role="table"
        aria-label="Deals"
        aria-rowcount={count === undefined ? -1 : count + 1}
        aria-colcount={columns.length}
        className="tabular-nums print:min-w-0! print:text-[8pt]"
        style={styleOf(columns, widths)}
      >
        <TableHead
          columns={columns}
          sort={sortOf(state)}
          sortBy={(field) => change({ sort: sortAfter(state.sort, field) })}
          widths={widths}
          resize={handle}
          setColumns={(next) => change({ columns: next })}
        />
        <TableBody
          {...{ rows, drawn, columns, similarFrom, nowMs, isBehind }}
          isCompact={state.density === 'compact'}
          chosen={chosen}
          peek={peek}
        />
      </div>
      <PrintedPart rows={rows} hasMore={hasMore} />
      <LoadingMore more={more} loadMore={loadMore} />
    </div>
  )
}

const styleOf = (columns: ColumnId[], widths: Parameters<typeof tracksOf>[1]) =>
  ({
    '--tracks': tracksOf(columns, widths),
    '--print-tracks': columns.map((column) => `minmax(0, ${widthOf(column, widths)}fr)`).join(' '),
    minWidth: columns.reduce((sum, column) => sum + widthOf(column, widths), 0),
  }) as CSSProperties

/** Says on paper that not all deals are there. */
export const PrintedPart = ({ rows, hasMore }: Pick<DealsListProps, 'rows' | 'hasMore'>) =>
  hasMore && <p className="hidden py-2 print:block">The first {formatCountOf(rows.length, 'deal')}.</p>

function TableBody({
  rows,
  drawn,
  columns,
  similarFrom,
  nowMs,
  isBehind,
  isCompact,
  chosen,
  peek,
}: Pick<DealsListProps, 'rows' | 'drawn' | 'similarFrom' | 'nowMs' | 'isBehind' | 'chosen'> & {
  columns: ColumnId[]
  isCompact: boolean
  peek: Peek
}) {
  return (
    <div
      role="rowgroup"
      aria-busy={isBehind}
      className={`relative print:h-auto! ${isBehind ? dimmed : ''}`}
      style={{ height: drawn.height }}
    >
      {drawn.items.map(({ index, start, size }) => {
        const deal = rows[index]
        if (deal === undefined) return null
        return (
          <TableRow
            key={String(deal.id)}
            deal={deal}
            index={index}
            top={start - drawn.start}
            height={size}
            columns={columns}
            nowMs={nowMs}
            isActive={index === drawn.at}
            isCompact={isCompact}
            isFirstSimilar={index > 0 && index === similarFrom}
            onFocus={drawn.onFocus}
            isChosen={chosen.ids.has(String(deal.id))}
            onChoose={chosen.choose}
            isPeeked={peek.id === String(deal.id)}
            onPeek={peek.show}
          />
        )
      })}
    </div>
  )
}

/** Returns the widths of the columns that the user has resized, and the handlers that resize one. */
function useWidths({ state, change }: Pick<DealsQuery, 'state' | 'change'>) {
  const { pulled, handle } = useResize((column, width) => {
    const { [column]: _, ...others } = state.widths ?? {}
    const widths = width === null ? others : { ...others, [column]: width }
    change({ widths: Object.keys(widths).length === 0 ? null : widths })
  })
  const widths = pulled === null ? (state.widths ?? {}) : { ...state.widths, [pulled.column]: pulled.width }
  return { widths, handle }
}
