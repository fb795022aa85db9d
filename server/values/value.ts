import { timeReader } from './date.ts'
import { flagReader } from './flag.ts'
import { idReader, type DecimalSign, numberReader } from './number.ts'
import { type SizeUnit, sizeReader, numericTextReader, readFileId, readLink, readText } from './text.ts'
import type { Unreadable } from './unreadable.ts'
import { type Zone, utc } from './zone.ts'

export { Unreadable } from './unreadable.ts'

/** Format of the values in a column. */
export interface ValueFormat {
  decimal: DecimalSign
  /** If not set, dates with dots have the day first, and other dates have the month first if possible. */
  dayFirst?: boolean
  /** Time zone of times without a zone. */
  zone: Zone
  /** True if the column consists of checkboxes, for which an empty value means "no". */
  isBoxes: boolean
  /** Unit of system sizes that do not include a unit. Defaults to kilowatts. */
  sizeUnit?: SizeUnit
}

/** Result types by kind of value. */
interface Values {
  text: string
  /** A number kept as text, such as a count or a ZIP code. */
  numericText: string
  /** Kilowatts as text. */
  size: string
  id: bigint
  number: number
  time: string
  flag: boolean
  link: string
  fileId: string
}

export type ValueKind = keyof Values

/** Reads a value. Returns null if the text is empty or a placeholder. */
export type ReadValue<T = unknown> = (text: string) => T | null | Unreadable

/**
 * Returns a function that reads a column's values. Times are in UTC with milliseconds:
 * `2026-03-01T17:20:05.000Z`.
 */
export function readerOf<Kind extends ValueKind>(
  kind: Kind,
  format?: Partial<ValueFormat>,
): ReadValue<Values[Kind]>
export function readerOf(kind: ValueKind, format: Partial<ValueFormat> = {}): ReadValue {
  const read = readerOfWritten(kind, format)
  return kind === 'flag' ? read : (text) => (isFalse(text) ? null : read(text))
}

/** Odoo writes `false` for every empty value. */
const isFalse = (text: string) => text.length === 5 && text.toLowerCase() === 'false'

function readerOfWritten(
  kind: ValueKind,
  { decimal = '.', dayFirst, zone = utc, isBoxes = false, sizeUnit = 'kW' }: Partial<ValueFormat>,
): ReadValue {
  switch (kind) {
    case 'text':
      return readText
    case 'numericText':
      return numericTextReader(decimal)
    case 'size':
      return sizeReader(decimal, sizeUnit)
    case 'id':
      return idReader(decimal)
    case 'number':
      return numberReader(decimal)
    case 'time':
      return timeReader(dayFirst, zone)
    case 'flag':
      return flagReader(isBoxes)
    case 'link':
      return readLink
    case 'fileId':
      return readFileId
  }
}
