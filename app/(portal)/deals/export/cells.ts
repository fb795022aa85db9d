import type { FileColumn } from '#app/csv-answer.ts'
import type { Deal, DealField, Person } from '#server/deals/deal.ts'
import type { ExportedDeal } from '#server/deals/find/router.ts'
import { dealAddress, dealTitle } from '../deal-name.ts'
import { fieldLabels } from '../field-labels.ts'
import { daysLateText } from '../milestone-text.ts'
import type { ColumnId } from '../query.ts'

/** Returns the columns of the file: those on the screen or every field. */
export function fileColumns(columns: readonly ColumnId[] | 'all'): FileColumn<ExportedDeal>[] {
  if (columns === 'all') return (Object.keys(fieldLabels) as DealField[]).map(fieldColumn)
  return columns.flatMap((column): FileColumn<ExportedDeal>[] => {
    if (column === 'dealname')
      return [
        { title: fieldLabels.dealname.label, cell: dealTitle },
        { title: 'Address', cell: dealAddress },
      ]
    return [column === 'milestone' ? { title: 'Milestone', cell: milestoneCell } : fieldColumn(column)]
  })
}

function fieldColumn(field: DealField): FileColumn<ExportedDeal> {
  return { title: fieldLabels[field].label, cell: (deal) => valueCell(deal[field], field) }
}

/** Formats a value for a spreadsheet: a person by name, a flag as yes or no, unknown as empty. */
function valueCell(value: Deal[DealField], field: DealField): string {
  if (value === null) return ''
  if (typeof value === 'object') return nameOf(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return fieldLabels[field].kind === 'time' ? minute(value as string) : String(value)
}

function milestoneCell({ milestone }: ExportedDeal): string {
  if (milestone === null) return ''
  return milestone.kind === 'late'
    ? daysLateText(milestone)
    : `${milestone.label} ${milestone.time.slice(0, 10)}`
}

/** Formats a time to the minute in UTC, in a form that spreadsheets recognize: `2026-03-01 17:20`. */
const minute = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 16)}`

function nameOf({ firstName, lastName, email }: Person): string {
  return [firstName, lastName].filter(Boolean).join(' ') || email || ''
}
