import type { Outcome } from '../deals/deal-change.ts'
import type { Fault } from './reason.ts'

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
