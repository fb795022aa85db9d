import type { ColumnDef } from '@tanstack/react-table'
import { fieldLabels } from '../field-labels.ts'
import { type ColumnId, isSortable } from '../query.ts'
import type { Row } from '../use-deals.ts'

/** What a column is called. */
export const columnLabel = (column: ColumnId) =>
  column === 'milestone' ? 'Milestone' : fieldLabels[column].label

/** The columns as the table takes them; what it reads of a deal does not matter, because others sort and draw. */
export const columnDefs = (columns: ColumnId[]): ColumnDef<Row>[] =>
  columns.map((id) => ({
    id,
    accessorFn: ({ id: deal }) => deal,
    header: columnLabel(id),
    enableSorting: isSortable(id),
    sortDescFirst: false,
  }))

interface Size {
  /** Pixels: as wide as it is at least, unless it was made narrower. */
  width: number
  /** Its part of what is left over. */
  share: number
}

const sizes: Partial<Record<ColumnId, Size>> = {
  dealname: { width: 208, share: 2 },
  stage: { width: 152, share: 1 },
  timeInCurrentStage: { width: 98, share: 0 },
  systemSize: { width: 104, share: 0 },
  amount: { width: 98, share: 0 },
  milestone: { width: 184, share: 1.5 },
  lastModified: { width: 128, share: 0 },
  state: { width: 80, share: 0 },
  zipCode: { width: 96, share: 0 },
  notes: { width: 280, share: 1 },
  streetAddress: { width: 200, share: 1 },
}

const wide: Size = { width: 172, share: 0 }

/** The width of a column as it stands in the address, otherwise as it is by itself. */
export const widthOf = (column: ColumnId, widths: Partial<Record<ColumnId, number>>) =>
  widths[column] ?? (sizes[column] ?? wide).width

/** The tracks of the grid that each line of the table is. What nobody takes stays empty at the end. */
export function tracksOf(columns: ColumnId[], widths: Partial<Record<ColumnId, number>>): string {
  const tracks = columns.map((column) => {
    const { width, share } = sizes[column] ?? wide
    return widths[column] !== undefined
      ? `${widths[column]}px`
      : share === 0
        ? `${width}px`
        : `minmax(${width}px, ${share}fr)`
  })
  return tracks.some((track) => track.endsWith('fr)'))
    ? tracks.join(' ')
    : [...tracks, 'minmax(0, 1fr)'].join(' ')
}

const numbers = new Set<ColumnId>([
  'systemSize',
  'numberOfModules',
  'numberOfInverters',
  'numberOfBatteries',
  'loanAmount',
  'adderPpw',
  'lastModified',
])

/** Whether a column stands at the right, as numbers do. */
export const isAtRight = (column: ColumnId) =>
  column !== 'milestone' && (fieldLabels[column].kind === 'double' || numbers.has(column))

/** The columns after one was moved to where another one is; that of the deal stays first. */
export function moveColumn(columns: ColumnId[], column: ColumnId, to: number): ColumnId[] {
  if (column === 'dealname') return columns
  const others = columns.filter((each) => each !== column)
  return others.toSpliced(Math.min(others.length, Math.max(1, to)), 0, column)
}
