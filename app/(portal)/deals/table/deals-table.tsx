'use client'

import { type CSSProperties, useMemo } from 'react'
import { formatCountOf } from '#app/ui/format.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import { type ColumnId, columnsOf, sortOf } from '../query.ts'
import type { DealsQuery } from '../use-deals-state.ts'
import type { Row } from '../use-deals.ts'
import { sortAfter, tracksOf, widthOf } from './columns.ts'
import { TableHead } from './head.tsx'
import { LoadingMore } from './loading-more.tsx'
import { TableRow } from './table-row.tsx'
import type { useRows } from './use-rows.ts'
import { useWidths } from './use-widths.ts'

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
  ...query
}: DealsListProps & Pick<DealsQuery, 'state' | 'change'>) {
  const { state, change } = query
  const { seesAllPartners } = useViewer()
  const columns = useMemo(
    () => columnsOf({ columns: state.columns, sort: state.sort }, seesAllPartners),
    [state.columns, state.sort, seesAllPartners],
  )
  const { widths, handle } = useWidths(query)
  const style = {
    '--tracks': tracksOf(columns, widths),
    '--print-tracks': columns.map((column) => `minmax(0, ${widthOf(column, widths)}fr)`).join(' '),
    minWidth: columns.reduce((sum, column) => sum + widthOf(column, widths), 0),
  }
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
        style={style as CSSProperties}
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
        />
      </div>
      <PrintedPart rows={rows} hasMore={hasMore} />
      <LoadingMore more={more} loadMore={loadMore} />
    </div>
  )
}

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
}: Pick<DealsListProps, 'rows' | 'drawn' | 'similarFrom' | 'nowMs' | 'isBehind'> & {
  columns: ColumnId[]
  isCompact: boolean
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
          />
        )
      })}
    </div>
  )
}
