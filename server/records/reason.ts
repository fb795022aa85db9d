import type { Outcome } from '../deals/change.ts'
import { quoted as quotedText } from '../values/short-text.ts'

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
