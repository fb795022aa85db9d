import type { FieldKind } from '../deals/deal.ts'

/** A cell of a table: its text or, in a workbook, its value and its displayed text. */
export type Cell = string | VisibleCell

export interface VisibleCell {
  /** The number with a decimal point, or the date, such as `2026-03-01` or `2026-03-01 17:20:05`. */
  readonly value: string
  readonly shown: string
  /** The reason that the cell cannot be read, to follow its name. */
  readonly problem?: string
  /** The date that the number would be. */
  readonly date?: string
  /** The address that the cell links to: a web page or, with `mailto:`, a mailbox. */
  readonly link?: string
}

/** Returns a cell's displayed text. */
export const displayText = (cell: Cell) => (typeof cell === 'string' ? cell : cell.shown)

/**
 * Returns the text that a field is parsed from: the value of numbers and dates, otherwise the displayed text.
 */
export function textFor(kind: FieldKind | null, cell: Cell): string {
  if (typeof cell === 'string') return cell
  if (kind === 'time') return cell.date ?? cell.value
  return kind === null || kind === 'text' ? cell.shown : cell.value
}

// Error values of Excel, LibreOffice, Gnumeric and Google Sheets, including in their CSV files.
const errorText =
  /^(?:#(?:REF|DIV\/0|VALUE|NUM|NULL|SPILL|CALC|FIELD|BLOCKED|CONNECT|UNKNOWN|ERROR|BUSY|PYTHON)!|#NAME\?|#GETTING_DATA|Err:\d{3})$/

// What a spreadsheet shows of a value that is wider than its column, and saves in a text file.
const tooWide = /^#{2,}$/

/** Returns the reason that a cell is unreadable, or null. */
export function cellProblem(cell: Cell): string | null {
  // Formatting a number takes longer than reading it.
  if (typeof cell !== 'string') return cell.problem ?? null
  if (cell.includes('\uFFFD')) return 'has characters that cannot be read; save the file as UTF-8'
  if (!'#E'.includes(cell[0] ?? ' ')) return null
  if (tooWide.test(cell)) return 'was hidden by a narrow column; widen the column, and save the file again'
  return errorText.test(cell) ? `is the error ${cell}` : null
}

/** Returns the name of a cell: `C7`; `column` counts from 0. */
export function cellName(column: number, row: number): string {
  return `${columnName(column)}${row}`
}

/** Returns the letters of a column, which counts from 0. */
export function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26))
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter
}
