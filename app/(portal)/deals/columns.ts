import { formatIn } from '#app/ui/format.ts'
import type { DealField } from '#server/deals/deal.ts'
import type { DerivedColumn } from '#server/deals/derived-columns.ts'
import { blockerText, responsibleText } from '#server/deals/labels.ts'
import type { FoundRow } from '#server/search/router.ts'
import type { DealSort, SortField } from '#server/search/wire.ts'
import { type Zone, dayOf } from '#server/values/zone.ts'
import { nextStepText, paymentText } from './deal-text.ts'
import { fieldLabels, isDuration, labelledTimeFields } from './fields.ts'

interface Descriptor {
  label: string
  /** Title of the column in exported files, if the label is the name of an import field. */
  fileTitle?: string
  from: DerivedColumn
  group: 'Deal' | 'Milestones'
  /** Text of a cell, in files and on the screen (unless `deals-table.tsx` renders the column). */
  text: (deal: Pick<FoundRow, DerivedColumn>, zone: Zone) => string
  /** Text of a cell in files if it differs: files may be opened in a later year, so dates need the year. */
  fileText?: (deal: Pick<FoundRow, DerivedColumn>, zone: Zone) => string
}

/** Columns that are not fields of the deal. Only viewers of all partners see the partner column. */
export const derivedColumns = {
  milestone: { label: 'Next step', from: 'milestone', group: 'Milestones', text: milestoneText },
  held: { label: 'Waiting on', from: 'held', group: 'Milestones', text: ({ held }) => blockerText(held) },
  holder: {
    label: 'Who has it',
    from: 'held',
    group: 'Milestones',
    text: ({ held }) => responsibleText(held),
  },
  payment: {
    label: 'Expected payment',
    from: 'payment',
    group: 'Milestones',
    text: (deal, zone) => expectedPaymentText(deal, zone, Date.now()),
    fileText: (deal, zone) => expectedPaymentText(deal, zone, 0),
  },
  assignee: { label: 'Assigned to', from: 'assignee', group: 'Deal', text: ({ assignee }) => assignee ?? '' },
  partner: {
    label: 'Partner',
    fileTitle: 'Partner name',
    from: 'partner',
    group: 'Deal',
    text: ({ partner }) => partner ?? '',
  },
} satisfies Record<string, Descriptor>

export type DerivedColumnId = keyof typeof derivedColumns

export const derivedColumnIds = Object.keys(derivedColumns) as DerivedColumnId[]

/** Returns the descriptor of a derived column, or undefined if the column is a field. */
export const derivedColumn = (column: string): Descriptor | undefined =>
  Object.hasOwn(derivedColumns, column) ? derivedColumns[column as DerivedColumnId] : undefined

/** Formats a payment: `Nov 25 – Dec 2`, `Paid Nov 3`, or a dash if it cannot be predicted. */
function expectedPaymentText({ payment }: Pick<FoundRow, 'payment'>, zone: Zone, nowMs: number): string {
  if (payment == null) return ''
  const { label, value } = paymentText(payment, nowMs, formatIn(zone))
  if (payment.kind === 'unknown') return '–'
  return payment.kind === 'paid' ? `${label} ${value === 'Yes' ? '' : value}`.trim() : value
}

function milestoneText({ milestone }: Pick<FoundRow, 'milestone'>, zone: Zone): string {
  return nextStepText(milestone ?? null, (time) => dayOf(time, zone))
}

/** A field or a derived column. The column `dealname` also shows the street address. */
export type ColumnId = DealField | DerivedColumnId

export const columnIds: readonly ColumnId[] = [
  ...(Object.keys(fieldLabels) as DealField[]),
  ...derivedColumnIds,
]

/** Default columns. */
export const standardColumns: readonly ColumnId[] = [
  'dealname',
  'stage',
  'timeInCurrentStage',
  'milestone',
  'holder',
  'amount',
  'payment',
]

/** Returns the default columns for all partners or for a single partner. */
export const standardColumnsFor = (seesAllPartners: boolean) =>
  seesAllPartners ? standardColumns.toSpliced(1, 0, 'partner') : standardColumns

export const sortFields: readonly SortField[] = [
  'dealname',
  'city',
  'state',
  'stage',
  'pipeline',
  'amount',
  'systemSize',
  ...labelledTimeFields,
]

/** Default sort order, the same as on the server. */
export const standardSort: DealSort = { field: 'lastModified', direction: 'desc' }

export const isSortable = (column: ColumnId): column is SortField =>
  (sortFields as readonly string[]).includes(column)

/** Returns the visible columns in order, with the deal's name first, and including the sort column. */
export function columnsOf(
  { columns, sort }: { columns: ColumnId[] | null; sort: DealSort | null },
  seesAllPartners: boolean,
): ColumnId[] {
  const chosen = columns ?? standardColumnsFor(seesAllPartners)
  return [...new Set<ColumnId>(['dealname', ...chosen, ...(sort === null ? [] : [sort.field])])].filter(
    (column) => seesAllPartners || column !== 'partner',
  )
}

export const columnLabel = (column: ColumnId) =>
  derivedColumn(column)?.label ?? fieldLabels[column as DealField].label

/** Returns the order after a click on a header: ascending, then descending, then the default (null). */
export function sortAfter(sort: DealSort | null, field: SortField): DealSort | null {
  if (sort?.field !== field) return { field, direction: 'asc' }
  return sort.direction === 'asc' && field !== standardSort.field ? { field, direction: 'desc' } : null
}

/** Returns a header's tooltip. Time in stage is sorted by the CRM's time, which may be longer. */
export function sortTitle(column: SortField, direction: DealSort['direction'] | null): string {
  const title = `Sort by ${columnLabel(column)}`
  if (!isDuration(column)) return title
  return `${title} in your CRM, ${direction === 'asc' ? 'shortest' : 'longest'} first`
}

interface Size {
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

/** Heights of rows and of the table header, in pixels. */
export const rowHeights = { comfortable: 60, compact: 40 }
export const headHeight = 40

/** Distance from the top of one card to the top of the next, in pixels. */
export const cardHeight = 136

/** Gap between cards in pixels. */
export const cardGap = 12
