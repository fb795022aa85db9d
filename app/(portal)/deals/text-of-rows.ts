import type { FileColumn } from '#app/file-column.ts'
import type { ExportedDeal } from '#server/deals/find/router.ts'
import type { Row } from './use-deals.ts'

/** Returns rows as tab-separated text with titles, which a spreadsheet pastes as cells. */
export function textOfRows(columns: readonly FileColumn<ExportedDeal>[], rows: readonly Row[]): string {
  const lineOf = (cells: string[]) => cells.map((cell) => cell.replaceAll(/\s+/g, ' ').trim()).join('\t')
  return [
    columns.map(({ title }) => title),
    // Rows have the data of their columns; values that no source gave are missing, like null.
    ...rows.map((row) => columns.map(({ cell }) => cell(row as ExportedDeal))),
  ]
    .map(lineOf)
    .join('\n')
}
