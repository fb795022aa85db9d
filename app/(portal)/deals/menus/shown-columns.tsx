'use client'

import { ArrowDown, ArrowUp, GripVertical, X } from 'lucide-react'
import type { ColumnId } from '../query.ts'
import { columnLabel, moveColumn } from '../table/columns.ts'
import { useColumnDrag } from '../table/use-column-drag.ts'

/** Shows the columns of the table in their order, moved by dragging or with their buttons. */
export function ShownColumns({ columns, set }: { columns: ColumnId[]; set: (columns: ColumnId[]) => void }) {
  const { over, dragging } = useColumnDrag(columns, set)
  return (
    <ol aria-label="Columns shown" className="px-2">
      {columns.map((column, index) => {
        const isFixed = column === 'dealname'
        return (
          <li
            key={column}
            {...dragging(column)}
            className={`flex h-8 items-center gap-2 rounded-lg pr-1 pl-2 ${over === column ? 'bg-sunken' : ''} ${isFixed ? '' : 'cursor-grab'}`}
          >
            <GripVertical
              aria-hidden="true"
              className={`size-4 shrink-0 text-ink-soft ${isFixed ? 'opacity-0' : ''}`}
            />
            <span className="min-w-0 flex-1 truncate">{columnLabel(column)}</span>
            {!isFixed && (
              <ColumnButtons
                label={columnLabel(column)}
                isFirst={index === 1}
                isLast={index === columns.length - 1}
                move={(by) => set(moveColumn(columns, column, index + by))}
                hide={() => set(columns.filter((each) => each !== column))}
              />
            )}
          </li>
        )
      })}
    </ol>
  )
}

function ColumnButtons({
  label,
  isFirst,
  isLast,
  move,
  hide,
}: {
  label: string
  isFirst: boolean
  isLast: boolean
  move: (by: -1 | 1) => void
  hide: () => void
}) {
  return (
    <>
      <button
        type="button"
        aria-label={`Move ${label} left`}
        aria-disabled={isFirst}
        onClick={() => {
          if (!isFirst) move(-1)
        }}
        className={square}
      >
        <ArrowUp aria-hidden="true" className="size-4" />
      </button>
      <button
        type="button"
        aria-label={`Move ${label} right`}
        aria-disabled={isLast}
        onClick={() => {
          if (!isLast) move(1)
        }}
        className={square}
      >
        <ArrowDown aria-hidden="true" className="size-4" />
      </button>
      <button type="button" aria-label={`Hide ${label}`} onClick={hide} className={square}>
        <X aria-hidden="true" className="size-4" />
      </button>
    </>
  )
}

const square =
  'grid size-7 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink aria-disabled:opacity-40'
