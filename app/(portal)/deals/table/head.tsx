'use client'

import type { Header } from '@tanstack/react-table'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type DragEvent, useState } from 'react'
import type { DealSort } from '#server/deals/find/wire.ts'
import { type ColumnId, widthMax, widthMin } from '../query.ts'
import type { Row } from '../use-deals.ts'
import { columnLabel, isAtRight, moveColumn, widthOf } from './columns.ts'
import type { useResize } from './use-resize.ts'

/** The data type of a dragged column. */
const dragType = 'application/x-partner-deals-column'

/** Shows the column headers: click to sort, drag to move, drag the right edge to resize. */
export function TableHead({
  headers,
  sort,
  widths,
  resize,
  setColumns,
}: {
  headers: Header<Row, unknown>[]
  sort: DealSort
  widths: Partial<Record<ColumnId, number>>
  resize: ReturnType<typeof useResize>['handle']
  setColumns: (columns: ColumnId[]) => void
}) {
  const columns = headers.map(({ id }) => id as ColumnId)
  const [over, setOver] = useState<ColumnId | null>(null)

  const dragging = (column: ColumnId) => ({
    draggable: column !== 'dealname',
    onDragStart: (event: DragEvent) => event.dataTransfer.setData(dragType, column),
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes(dragType) || column === 'dealname') return
      event.preventDefault()
      setOver(column)
    },
    onDragLeave: () => setOver(null),
    onDrop(event: DragEvent) {
      event.preventDefault()
      setOver(null)
      const moved = event.dataTransfer.getData(dragType) as ColumnId
      if (columns.includes(moved)) setColumns(moveColumn(columns, moved, columns.indexOf(column)))
    },
  })

  return (
    <div role="rowgroup" className="sticky top-0 z-20">
      <div
        role="row"
        aria-rowindex={1}
        className="grid h-10 grid-cols-(--tracks) border-b border-line bg-surface"
      >
        {headers.map(({ id, column }) => {
          const columnId = id as ColumnId
          const direction = sort.field === columnId ? sort.direction : null
          const Arrow = direction === 'desc' ? ArrowDown : ArrowUp
          const label = columnLabel(columnId)
          return (
            <div
              key={id}
              role="columnheader"
              aria-label={label}
              aria-sort={direction === null ? undefined : direction === 'asc' ? 'ascending' : 'descending'}
              {...dragging(columnId)}
              className={`group/head relative flex min-w-0 items-center text-xs font-medium text-ink-soft ${columnId === 'dealname' ? 'sticky left-0 z-20 bg-surface' : ''} ${over === columnId ? 'bg-sunken' : ''}`}
            >
              {column.getCanSort() ? (
                <button
                  type="button"
                  title={`Sort by ${label}`}
                  onClick={column.getToggleSortingHandler()}
                  className={`flex h-full min-w-0 flex-1 items-center gap-1 px-4 -outline-offset-2 hover:text-ink ${isAtRight(columnId) ? 'flex-row-reverse' : ''} ${direction === null ? '' : 'text-ink'}`}
                >
                  <span className="truncate">{label}</span>
                  <Arrow
                    aria-hidden="true"
                    className={`size-3.5 shrink-0 ${direction === null ? 'opacity-0 group-hover/head:opacity-60' : ''}`}
                  />
                </button>
              ) : (
                <span
                  title={label}
                  className={`flex-1 truncate px-4 ${isAtRight(columnId) ? 'text-right' : ''}`}
                >
                  {label}
                </span>
              )}
              <div
                role="separator"
                tabIndex={0}
                aria-orientation="vertical"
                aria-label={`Width of ${label}`}
                aria-valuenow={widthOf(columnId, widths)}
                aria-valuemin={widthMin}
                aria-valuemax={widthMax}
                title="Drag to resize; double-click to reset"
                {...resize(columnId)}
                className="group/grip absolute inset-y-0 right-0 z-10 flex w-2.5 cursor-col-resize touch-none justify-end -outline-offset-2"
              >
                <span className="my-2.5 w-px bg-line group-hover/grip:w-0.5 group-hover/grip:bg-accent" />
              </div>
            </div>
          )
        })}
      </div>
    </div>
  )
}
