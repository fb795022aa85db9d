import { type Deal, type DealField, type DealRecord, type FieldKind, dealFields } from './deal.ts'
import { withKnownPeople } from './given-person.ts'
import { renderValue } from './render.ts'

/**
 * Returns the record merged into the stored deal: omitted fields keep their value, null clears one. A person
 * is replaced as a whole.
 */
export function applyRecord(stored: Deal, record: DealRecord): DealRecord {
  return { ...stored, ...withKnownPeople(stored, record) }
}

/** Changes of only these fields are no event: they move with everything else. */
const silent: ReadonlySet<string> = new Set(['lastModified', 'timeInCurrentStage'])

/** One change in an event; `from` and `to` are JSON. */
export interface Change {
  field: DealField
  from: string
  to: string
}

const fields = Object.entries(dealFields) as [DealField, { kind: FieldKind }][]

/** Returns every field that differs between two states of a deal, in the order of the interface. */
export function changesBetween(before: Deal, after: Deal | DealRecord): Change[] {
  return fields.flatMap(([field, { kind }]) => {
    const from = renderValue(kind, before[field])
    const to = renderValue(kind, after[field])
    return from === to ? [] : [{ field, from, to }]
  })
}

/** Returns whether the changes warrant an event. */
export function isEventful(changes: Change[]): boolean {
  return changes.some(({ field }) => !silent.has(field))
}
