import type { Outcome } from '../deals/change.ts'
import type { FieldKind } from '../deals/deal.ts'
import { quoted as quotedText } from '../values/short-text.ts'

/** An unparsed record of a file. `line` is the line where the record starts, counted from 1. */
export interface SourceItem<Raw> {
  line: number
  /** Approximate size in bytes, used to limit batches. */
  size: number
  raw: Raw
}

/** The visible sheets of a workbook, and the sheet that is read. */
export interface Sheets {
  chosen: string
  all: string[]
  /** Other sheets that look as much like a table of deals as the chosen sheet. */
  alike?: string[]
}

/** The records of a file. They can be read several times, and memory does not grow with the file. */
export interface RecordSource<Raw = unknown> {
  items(): AsyncIterable<SourceItem<Raw>>
  idOf(raw: Raw): bigint | null
  /**
   * Returns whether the record is a table row, in which empty cells are null. If the method is missing, no
   * record is.
   */
  isTableRow?(raw: Raw): boolean
  /** Returns the bytes of the record if the file contains it as JSON. */
  bytesOf(raw: Raw): Buffer | null
  /**
   * Returns the only version of the deal that a restored record may overwrite, or null for no version. If the
   * method is missing, any version may be overwritten.
   */
  versionOf?(raw: Raw): string | null
  /** Returns the titles and cells of the record as a table row. */
  titlesOf(raw: Raw): string[]
  cellsOf(raw: Raw): string[]
  /** Returns the cell from which a field of the record was read. Missing for JSON. */
  cellOf?(raw: Raw, field: string): ReadCell | undefined
  /** Returns the record as a JSON value, or its problems. */
  valueOf(raw: Raw): { value: unknown } | { faults: Fault[] }
}

/** A problem of a field, or of the whole record if `field` is null. */
export interface Fault {
  field: string | null
  /** The problem and its fix, phrased to follow the field name: `is empty`. */
  reason: string
  title?: string
  text?: string
}

/** A table cell from which a field was read. */
export interface ReadCell {
  title: string
  text: string
}

/**
 * Titles of the first columns in a file of rejected rows. These columns are ignored when the file is imported
 * again.
 */
export const rejectedTitles = ['Line', 'Reasons'] as const

/** The title of the remaining column in such a file if the rejected records were JSON. */
export const recordTitle = 'Record'

/** Maximum size of a record. A deal takes 4 KB, and a page contains 25 deals. */
export const recordMaxBytes = 256 * 1024

/** Thrown if a file cannot be parsed. The message contains the reason. */
export class UnreadableFileError extends Error {}

/**
 * Thrown if a file has an unsupported format or is damaged. The message explains in sentences what the file
 * is and what to do.
 */
export class UnsupportedFileError extends UnreadableFileError {}

/** Thrown if no table begins at the header row. */
export class UnreadableHeader extends UnreadableFileError {}

/** Returns a problem as a sentence: `Amount “abc” is not an amount; use a number such as 30800.50`. */
export function sentenceOf({ field, title, reason }: Fault): string {
  if (title !== undefined && title !== '') return `${title} ${reason}`
  if (field === null) return `The record ${reason}`
  return `${field === 'id' ? 'ID' : field} ${reason}`
}

// Leaves room for spaces that are removed.
const textMax = 1000

/** Returns the start of a value as text. Lists and objects are only named as such. */
export function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[…]' : '{…}'
  return String(value).slice(0, textMax)
}

/** Returns a value in quotation marks, shortened if necessary: “12 k”. */
export const quoted = (value: unknown) => quotedText(textOf(value))

// Maximum number of problems reported per record.
const faultsMax = 20

/** Returns at most `faultsMax` problems. The last one states how many were omitted. */
export function shortened(faults: Fault[]): Fault[] {
  if (faults.length <= faultsMax) return faults
  const more = { field: null, reason: `has ${faults.length - faultsMax + 1} more problems` }
  return [...faults.slice(0, faultsMax - 1), more]
}

/** Returns the problem of a deal that belongs to another partner, whose slug is included if known. */
export const ofOtherPartner = (slug: string | undefined): Fault => ({
  field: 'id',
  reason: `belongs to a deal of another partner${slug === undefined ? '' : `, ${slug}`}`,
})

/** Reasons that a valid record was not written. */
export const unwritten: Record<
  Exclude<Outcome, 'created' | 'updated' | 'unchanged' | 'other partner'>,
  Fault
> = {
  'no partner': {
    field: 'partner',
    reason: 'is required for a new deal: name it in the record or for the whole import',
  },
  'changed since': { field: null, reason: 'was changed in the meantime' },
  'too long': {
    field: null,
    reason: 'has more text than fits; shorten its names, address, utility or phone number',
  },
}

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

/** A formula cell with no stored result. */
export const uncomputed: VisibleCell = {
  value: '#N/A',
  shown: '#N/A',
  problem: 'is a formula without a result; open the file in a spreadsheet program and save it',
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
