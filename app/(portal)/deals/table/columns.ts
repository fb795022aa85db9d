import type { DealField } from '#server/deals/deal.ts'
import type { DealSort, SortField } from '#server/search/wire.ts'
import { derivedColumn } from '../derived-columns.ts'
import { fieldLabels, isDuration } from '../field-labels.ts'
import { type ColumnId, standardSort } from '../query.ts'

export const columnLabel = (column: ColumnId) =>
  derivedColumn(column)?.label ?? fieldLabels[column as DealField].label

/**
 * Returns the sort order after a click on a column header: ascending, then descending, then the default
 * (null).
 */
export function sortAfter(sort: DealSort | null, field: SortField): DealSort | null {
  if (sort?.field !== field) return { field, direction: 'asc' }
  return sort.direction === 'asc' && field !== standardSort.field ? { field, direction: 'desc' } : null
}

/**
 * Returns the tooltip of a sortable column header. Time in stage is sorted by the CRM's time, which may be
 * longer than displayed.
 */
export function sortTitle(column: SortField, direction: DealSort['direction'] | null): string {
  const title = `Sort by ${columnLabel(column)}`
  if (!isDuration(column)) return title
  return `${title} in your CRM, ${direction === 'asc' ? 'shortest' : 'longest'} first`
}

interface Size {
  /** Minimum width in pixels. */
  width: number
  /** Share of the remaining width. */
  share: number
}

const sizes: Partial<Record<ColumnId, Size>> = {
  dealname: { width: 208, share: 2 },
  stage: { width: 140, share: 1 },
  timeInCurrentStage: { width: 104, share: 0.8 },
  systemSize: { width: 98, share: 0 },
  amount: { width: 98, share: 0 },
  milestone: { width: 150, share: 2 },
  holder: { width: 128, share: 1 },
  payment: { width: 148, share: 1.2 },
  lastModified: { width: 136, share: 0 },
  state: { width: 80, share: 0 },
  zipCode: { width: 96, share: 0 },
  notes: { width: 280, share: 1 },
  streetAddress: { width: 200, share: 1 },
}

const wide: Size = { width: 172, share: 0 }

const day: Size = { width: 140, share: 0 }

const sizeOf = (column: ColumnId) =>
  sizes[column] ?? (fieldLabels[column as DealField]?.kind === 'time' ? day : wide)

/** Returns the minimum width of a column in pixels. */
export const widthOf = (column: ColumnId) => sizeOf(column).width

/** Returns the grid tracks of a row. Any remaining width stays empty at the end. */
export function tracksOf(columns: readonly ColumnId[]): string {
  const tracks = columns.map((column) => {
    const { width, share } = sizeOf(column)
    return share === 0 ? `${width}px` : `minmax(${width}px, ${share}fr)`
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

/** Returns true if the column is right-aligned, like numbers. */
export const isAtRight = (column: ColumnId) =>
  numbers.has(column) || ['double', 'money'].includes(fieldLabels[column as DealField]?.kind)

/** Moves a column to the position of another column. The deal's name stays first. */
export function moveColumn(columns: ColumnId[], column: ColumnId, to: number): ColumnId[] {
  if (column === 'dealname') return columns
  const others = columns.filter((each) => each !== column)
  return others.toSpliced(Math.min(others.length, Math.max(1, to)), 0, column)
}

/** Heights of rows and of the table header, in pixels. */
export const rowHeights = { comfortable: 60, compact: 40 }
export const headHeight = 40

/** Distance from the top of one card to the top of the next, in pixels. */
export const cardHeight = 136

/** Gap between cards in pixels. */
export const cardGap = 12
