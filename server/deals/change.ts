import { parseJson } from '../values/int64.ts'
import {
  type DealField,
  type DealRecord,
  type FieldKind,
  type KnownDeal,
  type Person,
  dealFields,
} from './deal.ts'
import { withKnownPeople } from './recorded-person.ts'
import { renderValue } from './render.ts'

/**
 * Merges the record into the stored deal: omitted fields keep their value, and null clears a field. A person
 * is replaced as a whole.
 */
export function applyRecord(stored: KnownDeal, record: DealRecord): DealRecord {
  return { ...stored, ...withKnownPeople(stored, record) }
}

/** Merges the record into the stored deal like `applyRecord`, but null keeps the stored value. */
export function fillIn(stored: KnownDeal, record: DealRecord): DealRecord {
  const incoming = withKnownPeople(stored, record) as unknown as Record<string, unknown>
  const filled: Record<string, unknown> = { ...stored }
  for (const [field, { kind }] of fields) {
    const value = incoming[field]
    if (value === null || value === undefined) continue
    filled[field] = kind === 'person' ? fillInPerson(stored[field] as Person | null, value as Person) : value
  }
  return filled as unknown as DealRecord
}

function fillInPerson(stored: Person | null, incoming: Person): Person {
  if (stored?.id !== incoming.id) return incoming
  const known = Object.entries(incoming).filter(([, value]) => value !== null)
  return { ...stored, ...(Object.fromEntries(known) as Partial<Person>) }
}

/** Fields that change along with any other field. If nothing else has changed, there is no event. */
const silent: ReadonlySet<string> = new Set(['lastModified', 'timeInCurrentStage'])

/** A change within an event; `from` and `to` are JSON. */
export interface Change {
  field: DealField
  from: string
  to: string
}

const fields = Object.entries(dealFields) as [DealField, { kind: FieldKind }][]

/** Returns every field that differs between two states of a deal, in the field order of the API. */
export function changesBetween(before: KnownDeal, after: KnownDeal | DealRecord): Change[] {
  return fields.flatMap(([field, { kind }]) => {
    const from = renderValue(kind, before[field])
    const to = renderValue(kind, after[field])
    return from === to ? [] : [{ field, from, to }]
  })
}

/**
 * Returns the changed fields that lose a value, either of the deal itself or of a person who stays the same.
 */
export function clearedFields(record: DealRecord, changes: Change[]): DealField[] {
  return changes.flatMap(({ field, from, to }) => {
    const isCleared =
      to === 'null' ||
      record[field] === null ||
      (dealFields[field].kind === 'person' && from !== 'null' && losesPart(from, to))
    return isCleared ? [field] : []
  })
}

function losesPart(from: string, to: string): boolean {
  const [before, after] = [from, to].map((json) => parseJson(json) as Record<string, unknown>)
  if (BigInt(before!['id'] as bigint) !== BigInt(after!['id'] as bigint)) return false
  return Object.entries(before!).some(([part, value]) => value !== null && after![part] === null)
}

/** Returns true if the changes require an event. */
export function isEventful(changes: Change[]): boolean {
  return changes.some(({ field }) => !silent.has(field))
}
