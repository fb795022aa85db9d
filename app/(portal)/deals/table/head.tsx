'use client'

import { ArrowDown, ArrowUp } from 'lucide-react'
import type { DealSort, SortField } from '#server/deals/find/wire.ts'
import { isDuration } from '../field-labels.ts'
import { type ColumnId, isSortable, widthMax, widthMin } from '../query.ts'
import { columnLabel, isAtRight, widthOf } from './columns.ts'
import { useColumnDrag } from './use-column-drag.ts'
import type { useResize } from './use-resize.ts'

type Resize = ReturnType<typeof useResize>['handle']

const sortedAs = { asc: 'ascending', desc: 'descending' } as const

/** Returns how an order is shown: the earliest time is the longest duration. */
const shownAs = (id: ColumnId, direction: DealSort['direction']) =>
  isDuration(id) === (direction === 'asc') ? 'desc' : 'asc'

/** Shows the column headers: click to sort, drag to move, drag the right edge to resize. */
export function TableHead({
  columns,
  sort,
  sortBy,
  widths,
  resize,
  setColumns,
}: {
  columns: ColumnId[]
  sort: DealSort
  sortBy: (field: SortField) => void
  widths: Partial<Record<ColumnId, number>>
  resize: Resize
  setColumns: (columns: ColumnId[]) => void
}) {
  const { over, dragging } = useColumnDrag(columns, setColumns)
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
              {...dragging(id)}
              className={`group/head relative flex min-w-0 items-center text-xs font-medium text-ink-soft ${id === 'dealname' ? 'sticky left-0 z-20 bg-surface print:static' : ''} ${over === id ? 'bg-sunken' : ''}`}
            >
              <Title id={id} direction={direction} sortBy={sortBy} />
              <Grip id={id} width={widthOf(id, widths)} resize={resize} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Returns the order that a press on the header of a duration brings. */
function orderAfter(id: ColumnId, direction: DealSort['direction'] | null): string {
  if (!isDuration(id)) return ''
  return direction === 'asc' ? ', shortest first' : ', longest first'
}

/** Shows the label of a column, as a button if deals can be sorted by it. */
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
      title={`Sort by ${label}${orderAfter(id, direction)}`}
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

/** The edge by which a column is resized. */
function Grip({ id, width, resize }: { id: ColumnId; width: number; resize: Resize }) {
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of ${columnLabel(id)}`}
      aria-valuenow={width}
      aria-valuemin={widthMin}
      aria-valuemax={widthMax}
      title="Drag to resize; double-click to reset"
      {...resize(id)}
      className="group/grip absolute inset-y-0 right-0 z-10 flex w-2.5 cursor-col-resize touch-none justify-end -outline-offset-2 print:hidden"
    >
      <span className="my-2.5 w-px bg-line group-hover/grip:w-0.5 group-hover/grip:bg-accent" />
    </div>
  )
}
