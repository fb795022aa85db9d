import { parseInt64 } from '../../protocol/int64.ts'
import type { FieldKind } from '../deal.ts'

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
// `$36,739.00`, `-$5`, `($1,200)`, `12.5%`.
const writtenNumber = /^(\()?(-)?\$?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(%)?(\))?$/

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

const isoDate = /^(\d{4})-(\d{1,2})-(\d{1,2})$/
const usDate = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})$/
const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([ap])m)?$/i

/**
 * Returns the JSON value of a cell: numbers also with dollar signs, thousands separators and percent, flags also as yes and
 * no, times also as ISO or US dates, which are midnight UTC, and with a time of day in UTC. Anything else stays text, which the
 * check of the record rejects.
 */
export function readCell(kind: FieldKind, cell: string): unknown {
  if (cell === '') return null
  switch (kind) {
    case 'int64':
      return parseInt64(cell) ?? cell
    case 'double':
      return readNumber(cell)
    case 'flag': {
      const flag = cell.toLowerCase()
      return Object.hasOwn(flags, flag) ? flags[flag] : cell
    }
    case 'time':
      return readDate(cell)
    default:
      return cell
  }
}

function readNumber(cell: string): number | string {
  if (plainNumber.test(cell)) return Number(cell)
  const [, open, minus, digits, fraction = '', percent, close] = writtenNumber.exec(cell) ?? []
  if (digits === undefined || (open === undefined) !== (close === undefined)) return cell
  if (digits.length > 1 && digits.startsWith('0')) return cell
  if (open !== undefined && minus !== undefined) return cell
  // Moved by the exponent rather than divided, which would not be exact.
  const value = Number(`${digits.replaceAll(',', '')}${fraction}${percent === undefined ? '' : 'e-2'}`)
  return (open ?? minus) === undefined ? value : -value
}

function readDate(cell: string): string {
  const [date = '', ...rest] = cell.split(/[ T]/)
  const [, year, month, day] = isoDate.exec(date) ?? reordered(usDate.exec(date))
  const time = rest.length === 0 ? '00:00:00' : readClock(rest.join(' '))
  if (year === undefined || time === null) return cell
  return `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}T${time}.000Z`
}

/** Returns year, month and day of a US date; years of two digits are those from 1970 to 2069. */
function reordered(match: RegExpExecArray | null): (string | undefined)[] {
  if (match === null) return []
  const [all, month, day, year] = match as unknown as [string, string, string, string]
  if (year.length === 4) return [all, year, month, day]
  return [all, `${Number(year) < 70 ? 20 : 19}${year}`, month, day]
}

function readClock(text: string): string | null {
  const [, hours, minutes, seconds = '00', half] = clock.exec(text) ?? []
  if (hours === undefined) return null
  if (half === undefined) return `${hours.padStart(2, '0')}:${minutes}:${seconds}`
  if (Number(hours) < 1 || Number(hours) > 12) return null
  const hour = (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return `${String(hour).padStart(2, '0')}:${minutes}:${seconds}`
}
