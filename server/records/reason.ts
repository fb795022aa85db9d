import { quoted as quotedText } from '../values/quoted.ts'

/** A problem of one field of a record; `field` is null for the record as a whole. */
export interface Fault {
  field: string | null
  /** The problem and its fix, to follow the field name: `is empty`. */
  reason: string
  /** The column's title. */
  title?: string
  /** The text of the cell. */
  text?: string
}

/** A table cell that a field was read from. */
export interface ReadCell {
  title: string
  text: string
}

// Includes room for spaces that are removed.
const textMax = 1000

/** Returns the start of a value as text; a list or object of any depth is only named as such. */
export function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[…]' : '{…}'
  return String(value).slice(0, textMax)
}

/** Returns a value in quotation marks, shortened: “12 k”. */
export const quoted = (value: unknown) => quotedText(textOf(value))

/** Returns a problem as a sentence: `Amount “abc” is not an amount; use a number such as 30800.50`. */
export function sentenceOf({ field, title, reason }: Fault): string {
  if (title !== undefined && title !== '') return `${title} ${reason}`
  if (field === null) return `The record ${reason}`
  return `${field === 'id' ? 'ID' : field} ${reason}`
}
