import { derivedColumn } from '../derived-columns.ts'
import { fieldLabels, isDuration } from '../field-labels.ts'
import type { ColumnId } from '../query.ts'

/** Returns the title of a column whose times are not ages, as in a file. */
export function columnTitle(column: ColumnId): string {
  if (isDuration(column)) return 'In stage since'
  return derivedColumn(column)?.label ?? fieldLabels[column as keyof typeof fieldLabels].label
}
