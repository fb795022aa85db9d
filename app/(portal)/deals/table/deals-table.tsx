'use client'

import { ArrowDown, ArrowUp } from 'lucide-react'
import { type CSSProperties, useMemo } from 'react'
import type { DealSort, SortField } from '#server/search/wire.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import { isDuration } from '../field-labels.ts'
import { type ColumnId, columnsOf, isSortable, sortOf } from '../query.ts'
import type { DealsList } from '../use-deals-list.ts'
import type { DealsQuery, Peek } from '../use-deals-state.ts'
import { columnLabel, isAtRight, sortAfter, sortTitle, tracksOf, widthOf } from './columns.ts'
import { TableRow } from './table-row.tsx'

/** Dims rows of the previous query. The delay avoids flicker when the response is fast. */
export const dimmed = 'opacity-60 transition-opacity delay-200'

/** Shows deals as a table that only renders visible rows. */
export function DealsTable({
  list,
  peek,
  state,
  change,
}: Pick<DealsQuery, 'state' | 'change'> & { list: DealsList; peek: Peek }) {
  const { seesAllPartners } = useViewer()
  const columns = useMemo(
    () => columnsOf({ columns: state.columns, sort: state.sort }, seesAllPartners),
    [state.columns, state.sort, seesAllPartners],
  )
  return (
    <div
      role="table"
      aria-label="Deals"
      aria-rowcount={list.count === undefined ? -1 : list.count + 1}
      aria-colcount={columns.length}
      className="tabular-nums print:min-w-0! print:text-[8pt]"
      style={styleOf(columns)}
    >
      <TableHead
        columns={columns}
        sort={sortOf(state)}
        sortBy={(field) => change({ sort: sortAfter(state.sort, field) })}
      />
      <TableBody list={list} columns={columns} isCompact={state.density === 'compact'} peek={peek} />
    </div>
  )
}

const styleOf = (columns: ColumnId[]) =>
  ({
    '--tracks': tracksOf(columns),
    '--print-tracks': columns.map((column) => `minmax(0, ${widthOf(column)}fr)`).join(' '),
    minWidth: columns.reduce((total, column) => total + widthOf(column), 0),
  }) as CSSProperties

function TableBody({
  list: { rows, drawn, similarFrom, nowMs, isBehind, chosen },
  columns,
  isCompact,
  peek,
}: {
  list: DealsList
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

const sortedAs = { asc: 'ascending', desc: 'descending' } as const

/**
 * Returns the displayed sort direction. For durations, the direction is reversed: the earliest start is the
 * longest time.
 */
const shownAs = (id: ColumnId, direction: DealSort['direction']) =>
  isDuration(id) === (direction === 'asc') ? 'desc' : 'asc'

function TableHead({
  columns,
  sort,
  sortBy,
}: {
  columns: ColumnId[]
  sort: DealSort
  sortBy: (field: SortField) => void
}) {
  return (
    <div role="rowgroup" className="sticky top-0 z-20 print:static">
      <div
        role="row"
        aria-rowindex={1}
        className="grid h-10 grid-cols-(--tracks) border-b border-line bg-surface print:grid-cols-(--print-tracks)"
      >
        {columns.map((id) => {
          const direction = sort.field === id ? sort.direction : null
          return (
            <div
              key={id}
              role="columnheader"
              aria-label={columnLabel(id)}
              aria-sort={direction === null ? undefined : sortedAs[shownAs(id, direction)]}
              className={`group/head relative flex min-w-0 items-center text-xs font-medium text-ink-soft ${id === 'dealname' ? 'sticky left-0 z-20 bg-surface print:static' : ''}`}
            >
              <Title id={id} direction={direction} sortBy={sortBy} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Shows the label of a column, as a button if the column is sortable. */
function Title({
  id,
  direction,
  sortBy,
}: {
  id: ColumnId
  direction: DealSort['direction'] | null
  sortBy: (field: SortField) => void
}) {
  const label = columnLabel(id)
  if (!isSortable(id))
    return (
      <span
        title={label}
        className={`flex-1 truncate px-4 print:px-1.5 ${isAtRight(id) ? 'text-right' : ''}`}
      >
        {label}
      </span>
    )
  const Arrow = shownAs(id, direction ?? 'asc') === 'desc' ? ArrowDown : ArrowUp
  return (
    <button
      type="button"
      title={sortTitle(id, direction)}
      onClick={() => sortBy(id)}
      className={`flex h-full min-w-0 flex-1 items-center gap-1 pr-4 print:px-1.5 -outline-offset-2 hover:text-ink ${id === 'dealname' ? 'pl-9' : 'pl-4'} ${isAtRight(id) ? 'flex-row-reverse' : ''} ${direction === null ? '' : 'text-ink'}`}
    >
      <span className="truncate">{label}</span>
      <Arrow
        aria-hidden="true"
        className={`size-3.5 shrink-0 ${direction === null ? 'opacity-0 group-hover/head:opacity-60' : ''}`}
      />
    </button>
  )
}
