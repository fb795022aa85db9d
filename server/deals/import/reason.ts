import { quoted as quotedText } from '../../values/quoted.ts'
import { type FieldKind, dealFields } from '../deal.ts'

/** A problem of one field of a record; `field` is null for the record as a whole. */
export interface Fault {
  field: string | null
  /** The problem and its fix, to follow the field name: `is empty`. */
  reason: string
  /** The column's title. */
  title?: string
}

/** A table cell that a field was read from. */
export interface ReadCell {
  title: string
  text: string
}

// Includes room for spaces that are removed.
const textMax = 1000

/** Returns the start of a value as text; a list or object of any depth is only named as such. */
function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[…]' : '{…}'
  return String(value).slice(0, textMax)
}

/** Returns a value in quotation marks, shortened: “12 k”. */
export const quoted = (value: unknown) => quotedText(textOf(value))

/** Descriptions of a deal's numbers, with examples. */
const numbers: Record<string, readonly [noun: string, example: string]> = {
  amount: ['an amount', '30800.50'],
  adderCost: ['a cost', '3520.00'],
  totalPpw: ['a price per watt', '3.50'],
  basePpw: ['a price per watt', '3.10'],
}

/**
 * Explains an invalid value and the accepted ones, to follow the field name. A cell is quoted as in the
 * table.
 */
export function reasonOf(field: string, kind: FieldKind, value: unknown, cell?: ReadCell): string {
  const shown = quoted(cell === undefined ? value : cell.text)
  switch (kind) {
    case 'int64':
      return idReason(value, shown)
    case 'text':
      return typeof value === 'string'
        ? 'has a character that cannot be stored; remove it'
        : `${shown} is not text; put it in quotes`
    case 'double': {
      const [noun, example] = numbers[field] ?? ['a number', '12.5']
      return isQuoted(value, cell)
        ? unquote(shown)
        : `${shown} is not ${noun}; use a number such as ${example}`
    }
    case 'flag': {
      if (value === 'true' || value === 'false') return unquote(shown)
      const [yes, no] = cell === undefined ? ['true', 'false'] : ['yes', 'no']
      return `${shown} is neither ${yes} nor ${no}; use one of them`
    }
    case 'time':
      return cell === undefined
        ? `${shown} is not a time with a time zone; use one such as 2026-03-01T17:20:05.000Z`
        : `${shown} is not a date; use one such as 2026-03-01`
    case 'person':
      return cell === undefined
        ? `${shown} is not a person; use an object such as {"id": 41203, "firstName": "Maria"}`
        : `${shown} is not a person; name the column ${field}.name`
  }
}

function idReason(value: unknown, shown: string): string {
  const text = textOf(value ?? '')
  if (text.trim() === '') return 'is empty'
  if (/^\d{19,}$/.test(text)) return `${shown} is too large; use a whole number up to 9223372036854775807`
  if (typeof value === 'string' && /^\d{1,18}$/.test(text)) return unquote(shown)
  return `${shown} is not an ID; use a whole number such as ${dealFields.id.example}`
}

/** Returns whether a value of JSON is a number in quotes. */
const isQuoted = (value: unknown, cell: ReadCell | undefined) =>
  cell === undefined && typeof value === 'string' && /^-?\d{1,20}(?:\.\d{1,20})?$/.test(value)

const unquote = (shown: string) => `${shown} is text; write it without quotes`

/** Returns a problem as a sentence: `Amount “abc” is not an amount; use a number such as 30800.50`. */
export function sentenceOf({ field, title, reason }: Fault): string {
  if (title !== undefined && title !== '') return `${title} ${reason}`
  if (field === null) return `The record ${reason}`
  return `${field === 'id' ? 'ID' : field} ${reason}`
}
