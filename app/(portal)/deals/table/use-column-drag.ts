'use client'

import { type DragEvent, useState } from 'react'
import type { ColumnId } from '../query.ts'
import { moveColumn } from './columns.ts'

/** The data type of a dragged column. */
const dragType = 'application/x-partner-deals-column'

/** Moves columns by dragging. Returns the column dragged over, and the props of a column's element; the deal's name stays. */
export function useColumnDrag(columns: ColumnId[], setColumns: (columns: ColumnId[]) => void) {
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

  return { over, dragging }
}
