import { type FileColumn, inZone, timeCell } from '#app/file-column.ts'
import type { DealField, KnownDeal, Person } from '#server/deals/deal.ts'
import type { ExportedDeal } from '#server/search/read-rows.ts'
import type { FoundRow } from '#server/search/router.ts'
import { type Zone, dayNumberOf } from '#server/values/zone.ts'
import { type ColumnId, derivedColumn } from './columns.ts'
import { dealAddress } from './deal-text.ts'
import { fieldLabels, isDuration } from './fields.ts'

/**
 * Returns the columns of the export: the visible ones or every field, always with the ID so that the file can
 * be imported. Titles of times include the zone, and titles of derived columns are names that imports ignore.
 * Durations are in days until `nowMs`; a full export also has the start time.
 */
export function fileColumns(
  columns: readonly ColumnId[] | 'all',
  zone: Zone,
  nowMs: number,
): FileColumn<ExportedDeal>[] {
  if (columns === 'all')
    return (Object.keys(fieldLabels) as DealField[]).map((field) => fieldColumn(field, zone))
  return [...new Set<ColumnId>([...columns, 'id'])].flatMap((column): FileColumn<ExportedDeal>[] => {
    const derived = derivedColumn(column)
    if (isDuration(column)) return [daysColumn(zone, nowMs)]
    if (derived !== undefined)
      return [
        {
          title: derived.fileTitle ?? derived.label,
          cell: (deal) => (derived.fileText ?? derived.text)(deal, zone),
        },
      ]
    if (column === 'dealname')
      return [fieldColumn('dealname', zone), { title: 'Full address', cell: dealAddress }]
    return [fieldColumn(column as DealField, zone)]
  })
}

function fieldColumn(field: DealField, zone: Zone): FileColumn<ExportedDeal> {
  const { kind } = fieldLabels[field]
  const label = isDuration(field) ? 'In stage since' : fieldLabels[field].label
  const cellOf = kind === 'time' ? (value: Value) => timeCell(value as string, zone) : plainCell
  return {
    title: kind === 'time' ? inZone(label, zone) : label,
    cell: (deal) => {
      const value = deal[field]
      return value == null ? '' : cellOf(value)
    },
  }
}

const daysColumn = (zone: Zone, nowMs: number): FileColumn<ExportedDeal> => ({
  title: 'Days in stage',
  cell: ({ timeInCurrentStage: since }) =>
    since === null ? '' : String(Math.max(0, dayNumberOf(new Date(nowMs), zone) - dayNumberOf(since, zone))),
})

type Value = NonNullable<KnownDeal[DealField]>

function plainCell(value: Value): string {
  if (typeof value === 'object') return nameOf(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value)
}

function nameOf({ firstName, lastName, email }: Person): string {
  return [firstName, lastName].filter(Boolean).join(' ') || email || ''
}

/** Returns rows with a header line as tab-separated text, which spreadsheets paste as cells. */
export function textOfRows(columns: readonly FileColumn<ExportedDeal>[], rows: readonly FoundRow[]): string {
  const lineOf = (cells: string[]) => cells.map((cell) => cell.replaceAll(/\s+/g, ' ').trim()).join('\t')
  return [
    columns.map(({ title }) => title),
    // Rows contain the data of their columns, except for values that are unknown.
    ...rows.map((row) => columns.map(({ cell }) => cell(row as ExportedDeal))),
  ]
    .map(lineOf)
    .join('\n')
}
