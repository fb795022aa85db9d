import { parseInt64 } from '../../protocol/int64.ts'
import { type Zone, instantOf, utc } from '../../protocol/zone.ts'
import type { FieldKind } from '../deal.ts'

/** A cell of a table: its text or, in a workbook, its value and its displayed text. */
export type Cell = string | ShownCell

export interface ShownCell {
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
export const shownText = (cell: Cell) => (typeof cell === 'string' ? cell : cell.shown)

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
  /^(?:#(?:REF|DIV\/0|VALUE|NUM|NULL|SPILL|CALC|FIELD|BLOCKED|CONNECT|UNKNOWN|ERROR|BUSY|PYTHON)!|#N\/A|#NAME\?|#GETTING_DATA|Err:\d{3})$/

/** Returns the reason that a cell is unreadable, or null. */
export function cellProblem(cell: Cell): string | null {
  // Formatting a number takes longer than reading it.
  if (typeof cell !== 'string') return cell.problem ?? null
  return '#E'.includes(cell[0] ?? ' ') && errorText.test(cell) ? `is the error ${cell}` : null
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

/** The sign before the decimals of numbers. */
export type DecimalSign = '.' | ','

/** The format of a table's numbers and times. */
export interface CellFormat {
  decimal?: DecimalSign
  /** The zone of times without one. */
  zone?: Zone
  /** Whether dates with slashes have the day before the month. */
  dayFirst?: boolean
}

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
// `$36,739.00`, `-$5`, `($1,200)`, `12.5%`.
const writtenNumber = /^(\()?(-)?\$?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(%)?(\))?$/

/** Returns whether a text is a word for yes or no. */
export const isFlag = (text: string) => /^(?:yes|no|y|n|true|false)$/i.test(text)

const flags: Record<string, boolean> = {
  true: true,
  false: false,
  yes: true,
  no: false,
  y: true,
  n: false,
  1: true,
  0: false,
}

// `36.739,00`, `-5`, `0,40 €`.
const writtenWithComma = /^(\()?(-)?(?:[$€] ?)?(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d+))?(%| ?[$€])?(\))?$/

const isoDate = /^(\d{4})-(\d{1,2})-(\d{1,2})$/
const slashedDate = /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/
const yearLast = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})$/
const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([ap])m)?$/i

/**
 * Returns the JSON value of a cell. Numbers may have dollar signs, thousands separators and percent signs;
 * flags may be yes and no; times may be ISO dates or dates with slashes (midnight UTC), or have a time of day
 * in the zone, by default UTC. Other text stays text, and the record check rejects it.
 */
export function readCell(
  kind: FieldKind,
  cell: string,
  { decimal = '.', zone = utc, dayFirst = false }: CellFormat = {},
): unknown {
  if (cell === '') return null
  switch (kind) {
    case 'int64':
      return parseInt64(cell) ?? cell
    case 'double':
      return decimal === '.' ? readNumber(cell) : readWithComma(cell)
    case 'flag': {
      const flag = cell.toLowerCase()
      return Object.hasOwn(flags, flag) ? flags[flag] : cell
    }
    case 'time':
      return readDate(cell, zone, dayFirst)
    default:
      return cell
  }
}

function readNumber(cell: string): number | string {
  if (plainNumber.test(cell)) return Number(cell)
  const [, open, minus, digits, fraction = '', percent, close] = writtenNumber.exec(cell) ?? []
  return numberOf({ open, minus, digits: digits?.replaceAll(',', ''), fraction, percent, close }) ?? cell
}

function readWithComma(cell: string): number | string {
  const [, open, minus, digits, decimals, unit, close] = writtenWithComma.exec(cell) ?? []
  const fraction = decimals === undefined ? '' : `.${decimals}`
  const percent = unit === '%' ? unit : undefined
  return numberOf({ open, minus, digits: digits?.replaceAll('.', ''), fraction, percent, close }) ?? cell
}

interface NumberParts {
  open: string | undefined
  minus: string | undefined
  digits: string | undefined
  fraction: string
  percent: string | undefined
  close: string | undefined
}

function numberOf({ open, minus, digits, fraction, percent, close }: NumberParts): number | null {
  if (digits === undefined || (open === undefined) !== (close === undefined)) return null
  if (digits.length > 1 && digits.startsWith('0')) return null
  if (open !== undefined && minus !== undefined) return null
  // Shifts the exponent instead of dividing, which would not be exact.
  const value = Number(`${digits}${fraction}${percent === undefined ? '' : 'e-2'}`)
  return (open ?? minus) === undefined ? value : -value
}

// Grouping commas or a decimal point that have only one reading; and the same with the signs exchanged.
const surelyPoint = /^\D{0,3}(?:\d{1,3}(?:,\d{3})+\.\d+|\d+\.(?:\d{1,2}|\d{4,}))\D{0,3}$/
const surelyComma = /^\D{0,3}(?:\d{1,3}(?:\.\d{3})+,\d+|\d+,(?:\d{1,2}|\d{4,}))\D{0,3}$/

/** Returns the decimal sign of numbers in these texts, or null if none is conclusive or they differ. */
export function decimalOf(texts: Iterable<string>): DecimalSign | null {
  const found = new Set<DecimalSign>()
  for (const text of texts) {
    if (surelyPoint.test(text)) found.add('.')
    else if (surelyComma.test(text)) found.add(',')
  }
  return found.size === 1 ? [...found][0]! : null
}

function readDate(cell: string, zone: Zone, dayFirst: boolean): string {
  const [date = '', ...rest] = cell.split(/[ T]/)
  const [year, month, day] = isoParts(date) ?? slashedParts(date, dayFirst) ?? []
  const time = rest.length === 0 ? '00:00:00' : readClock(rest.join(' '))
  if (year === undefined || time === null) return cell
  const text = `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}T${time}.000Z`
  // A date without a time has no zone.
  if (zone === utc || rest.length === 0) return text
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? text : new Date(instantOf(ms, zone)).toISOString()
}

function isoParts(date: string): string[] | null {
  const [, year, month, day] = isoDate.exec(date) ?? slashedDate.exec(date) ?? []
  return year === undefined ? null : [year, month!, day!]
}

/** Returns year, month and day of a date with slashes; two-digit years are 1970 to 2069. */
function slashedParts(date: string, dayFirst: boolean): string[] | null {
  const [, first, second, year] = yearLast.exec(date) ?? []
  if (year === undefined) return null
  const [month, day] = dayFirst ? [second!, first!] : [first!, second!]
  if (year.length === 4) return [year, month, day]
  return [`${Number(year) < 70 ? 20 : 19}${year}`, month, day]
}

function readClock(text: string): string | null {
  const [, hours, minutes, seconds = '00', half] = clock.exec(text) ?? []
  if (hours === undefined) return null
  if (half === undefined) return `${hours.padStart(2, '0')}:${minutes}:${seconds}`
  if (Number(hours) < 1 || Number(hours) > 12) return null
  const hour = (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return `${String(hour).padStart(2, '0')}:${minutes}:${seconds}`
}
