import { quoted as quotedText } from '../values/quoted.ts'

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

// Leaves room for spaces that are removed.
const textMax = 1000

/** Returns the start of a value as text. Lists and objects are only named as such. */
export function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[…]' : '{…}'
  return String(value).slice(0, textMax)
}

/** Returns a value in quotation marks, shortened if necessary: “12 k”. */
export const quoted = (value: unknown) => quotedText(textOf(value))

/** Returns a problem as a sentence: `Amount “abc” is not an amount; use a number such as 30800.50`. */
export function sentenceOf({ field, title, reason }: Fault): string {
  if (title !== undefined && title !== '') return `${title} ${reason}`
  if (field === null) return `The record ${reason}`
  return `${field === 'id' ? 'ID' : field} ${reason}`
}
