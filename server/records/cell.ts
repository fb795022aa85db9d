import type { FieldKind } from '../deals/deal.ts'

/** A cell of a table: its text or, in a workbook, its value and its displayed text. */
export type Cell = string | VisibleCell

export interface VisibleCell {
  /** A number with a decimal point, or a date such as `2026-03-01` or `2026-03-01 17:20:05`. */
  readonly value: string
  readonly shown: string
  /** Why the cell cannot be read, phrased to follow the name of the cell. */
  readonly problem?: string
  /** The date that corresponds to the number. */
  readonly date?: string
  /** The URL that the cell links to: a web page or a `mailto:` URL. */
  readonly link?: string
}

export const displayText = (cell: Cell) => (typeof cell === 'string' ? cell : cell.shown)

/**
 * Returns the text that a field is parsed from: the value of a number or date, otherwise the displayed text.
 */
export function textFor(kind: FieldKind | null, cell: Cell): string {
  if (typeof cell === 'string') return cell
  if (kind === 'time') return cell.date ?? cell.value
  return kind === null || kind === 'text' ? cell.shown : cell.value
}

// Error values of Excel, LibreOffice, Gnumeric and Google Sheets, also as text in CSV files.
const errorText =
  /^(?:#(?:REF|DIV\/0|VALUE|NUM|NULL|SPILL|CALC|FIELD|BLOCKED|CONNECT|UNKNOWN|ERROR|BUSY|PYTHON)!|#NAME\?|#GETTING_DATA|Err:\d{3})$/

// Spreadsheets display this for a value that is wider than its column, and save it in text files.
const tooWide = /^#{2,}$/

/** Returns why a cell is unreadable, or null. */
export function cellProblem(cell: Cell): string | null {
  // The displayed text of other cells is not checked, because formatting a number is slow.
  if (typeof cell !== 'string') return cell.problem ?? null
  if (cell.includes('\uFFFD')) return 'has characters that cannot be read; save the file as UTF-8'
  if (!'#E'.includes(cell[0] ?? ' ')) return null
  if (tooWide.test(cell)) return 'was hidden by a narrow column; widen the column, and save the file again'
  return errorText.test(cell) ? `is the error ${cell}` : null
}

/** Returns the name of a cell, such as `C7`. `column` is counted from 0. */
export function cellName(column: number, row: number): string {
  return `${columnName(column)}${row}`
}

/** Returns the letters of a column that is counted from 0. */
export function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26))
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter
}
