import { format, getFormatDateInfo, getFormatInfo } from 'numfmt'
import type { Cell, VisibleCell } from '../records/record-source.ts'
import { utc, wallClock } from '../values/zone.ts'

/** A number format in a workbook, with its format code (ECMA-376 part 1, 18.8.31). */
export interface NumberFormat {
  code: string
  /**
   * `plain` shows the number itself, `date` the day of a serial number, `percent` a percentage, `other`
   * anything else.
   */
  kind: 'plain' | 'date' | 'percent' | 'other'
}

// Built-in formats (ECMA-376 part 1, 18.8.30) as displayed by Excel in the United States.
const builtIn: Record<number, string> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0_);\\("$"#,##0\\)',
  6: '"$"#,##0_);[Red]\\("$"#,##0\\)',
  7: '"$"#,##0.00_);\\("$"#,##0.00\\)',
  8: '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)',
  9: '0%',
  10: '0.00%',
  12: '# ?/?',
  13: '# ??/??',
  14: 'm/d/yyyy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yyyy h:mm',
  37: '#,##0_);\\(#,##0\\)',
  38: '#,##0_);[Red]\\(#,##0\\)',
  39: '#,##0.00_);\\(#,##0.00\\)',
  40: '#,##0.00_);[Red]\\(#,##0.00\\)',
  41: '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)',
  42: '_("$"* #,##0_);_("$"* \\(#,##0\\);_("$"* "-"_);_(@_)',
  43: '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)',
  44: '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mmss.0',
}

// Maximum length of a format code in Excel.
const codeMax = 255

/** Returns the number format with this id: the workbook's `own` format code, or a built-in format. */
export function numberFormat(id: number, own: string | undefined): NumberFormat {
  const code = own ?? builtIn[id] ?? 'General'
  return { code, kind: code.length > codeMax ? 'plain' : kindOf(code) }
}

function kindOf(code: string): NumberFormat['kind'] {
  const { type, isDate } = getFormatInfo(code)
  // An exponent hides digits that a string such as a phone number needs.
  if (type === 'general' || type === 'text' || type === 'error' || type === 'scientific') return 'plain'
  if (!isDate) return type === 'percent' ? 'percent' : 'other'
  const { year, month, day } = getFormatDateInfo(code)
  return year || month || day ? 'date' : 'other'
}

/** The format of cells that have none. */
export const general = numberFormat(0, undefined)

// Maximum number of significant digits that a spreadsheet stores for a number.
const digitsMax = 15

/** Returns the cell for a number in a workbook. Dates are serial numbers, optionally counted from 1904. */
export function numberCell(raw: string, { code, kind }: NumberFormat, is1904: boolean): Cell {
  const rounded = roundedCell(raw)
  if (rounded !== null) return rounded
  const written = writtenNumber(raw)
  if (raw === '' || !Number.isFinite(Number(raw))) return written
  if (kind === 'plain') {
    const date = is1904 ? dateOf(raw, true) : null
    return date === null ? written : { value: written, shown: written, date }
  }
  const date = kind === 'date' ? dateOf(raw, is1904) : null
  if (kind === 'date' && date === null) return written
  return {
    value: date ?? (kind === 'percent' ? percentOf(raw) : written),
    // Computed on demand, because most cells are only read by value.
    get shown() {
      const shown = shownAs(code, Number(raw) + (date !== null && is1904 ? 1462 : 0))
      return shown === '' ? (date ?? written) : shown
    },
  }
}

/**
 * Returns the cell of a number that a spreadsheet may have rounded because it has more than 15 digits, or
 * null otherwise. The value has an exponent, so that it is never read as an id.
 */
export function roundedCell(raw: string): VisibleCell | null {
  const number = Number(raw)
  if (!(Math.abs(number) >= 10 ** digitsMax) || !Number.isFinite(number)) return null
  if (/^-?\d+$/.test(raw)) {
    const isStorable = Number.isSafeInteger(number) ? number % 10 === 0 : BigInt(number) === BigInt(raw)
    if (!isStorable) return null
  }
  return {
    value: number.toExponential(),
    shown: raw,
    problem: `is a number of more than ${digitsMax} digits, which the spreadsheet has rounded; enter it as text`,
  }
}

/** Formats a number. Returns an empty string if the format is unsupported or displays nothing. */
function shownAs(code: string, number: number): string {
  try {
    const shown = format(code, number, { dateErrorThrows: true }).trim()
    return shown.length > 1000 || /^#+$/.test(shown) ? '' : shown
  } catch {
    return ''
  }
}

// Number of days from December 30, 1899 and from January 1, 1904 until 1970.
const daysUntil1970 = { 1900: 25_569, 1904: 24_107 }

/** Returns the date of a serial number, such as `2026-03-01`, with the time if any, or null if invalid. */
export function dateOf(serial: string, is1904: boolean): string | null {
  const days = Number(serial)
  if (serial === '' || !Number.isFinite(days) || days < 0) return null
  // Excel counts February 29, 1900, which did not exist.
  const shift = !is1904 && days < 60 ? 1 : 0
  const seconds = Math.round((days + shift - daysUntil1970[is1904 ? 1904 : 1900]) * 86_400)
  if (seconds * 1000 > 253_402_300_799_000) return null
  return dateText(seconds * 1000)
}

/**
 * Returns the date in an ISO 8601 text with no time zone, such as `2026-03-01T17:20:05`, or null if invalid.
 */
export function isoDateOf(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,20})?)?Z?$/.test(text)) return null
  const ms = Date.parse(text.includes('T') && !text.endsWith('Z') ? `${text}Z` : text)
  return Number.isNaN(ms) ? null : dateText(Math.round(ms / 1000) * 1000)
}

function dateText(ms: number): string {
  const text = wallClock(ms, utc)
  return text.endsWith(' 00:00:00') ? text.slice(0, 10) : text
}

/** Returns a fraction as a percentage such as `45%`, which cannot be mistaken for an amount. */
export const percentOf = (raw: string) => `${writtenNumber(String(Number(raw) * 100))}%`

/**
 * Returns a number in plain notation, with at most 15 digits as in spreadsheets, and never with an exponent.
 */
export function writtenNumber(value: string): string {
  if (value === '' || /^-?\d+$/.test(value)) return value
  const number = Number(value)
  return Number.isFinite(number) ? String(Number(number.toPrecision(15))) : value
}
