import { toInt64 } from '../../protocol/int64.ts'
import { toTime } from '../../values/time.ts'
import { type DealRecord, type FieldKind, dealFields, personFields } from '../deal.ts'
import { type Fault, type ReadCell, quoted, reasonOf } from './reason.ts'

type Values = Record<string, unknown>

/** The fields of an object, and an empty object with them. */
interface Fields {
  kinds: (readonly [name: string, kind: FieldKind])[]
  empty: Readonly<Values>
}

const ofDeal = fieldsOf(dealFields)
const ofPerson = fieldsOf(personFields)
const known = new Set<string>([...Object.keys(dealFields), 'partner'])

/** Returns the table cell that a field was read from, if any. */
type CellOf = (field: string) => ReadCell | undefined

const noCell: CellOf = () => undefined

/** A record whose fields are being read. */
interface Reading {
  faults: Fault[]
  cellOf: CellOf
}

/**
 * Returns the record in a parsed JSON value, with ids as bigints and times in canonical form, or all its
 * problems. Written by hand over the table of fields: a schema library took 60 µs per deal, more than the
 * rest of the import; this takes 8.
 */
export function readRecord(
  value: unknown,
  cellOf: CellOf = noCell,
): { record: DealRecord } | { faults: Fault[] } {
  if (!isObject(value)) return { faults: [{ field: null, reason: 'is not a JSON object' }] }
  const faults: Fault[] = []
  const record = readFields(ofDeal, value, '', { faults, cellOf })
  const { partner } = value
  if (partner === null || typeof partner === 'string') record.partner = partner
  else if (partner !== undefined) faults.push({ field: 'partner', reason: unknownPartner(partner) })
  return faults.length > 0 ? { faults } : { record: record as unknown as DealRecord }
}

/** Explains that a value matches no partner. */
export const unknownPartner = (value: unknown) =>
  `${quoted(value)} is not the slug of a partner; the list of partners has the slugs`

function fieldsOf(fields: Readonly<Record<string, { kind: FieldKind }>>): Fields {
  const kinds = Object.entries(fields).map(([name, { kind }]) => [name, kind] as const)
  const empty = JSON.parse(`{${kinds.map(([name]) => `"${name}":null`).join()}}`) as Values
  return { kinds, empty }
}

function readFields({ kinds, empty }: Fields, values: Values, path: string, reading: Reading): Values {
  const { faults, cellOf } = reading
  const reject = (field: string, kind: FieldKind, value: unknown) =>
    faults.push({ field, reason: reasonOf(field, kind, value, cellOf(field)) })
  // An object that gets its keys one by one stores them in a hash table, at twice the time and memory.
  const read: Values = Object.keys(values).length >= kinds.length ? { ...empty } : {}
  for (const [name, kind] of kinds) {
    const value = values[name]
    if (value === undefined && name !== 'id') {
      delete read[name]
      continue
    }
    if (value === null && name !== 'id') {
      read[name] = null
    } else if (kind === 'person') {
      if (isObject(value)) read[name] = readFields(ofPerson, value, `${name}.`, reading)
      else reject(name, kind, value)
    } else {
      const good = readValue(kind, value)
      if (good === undefined) reject(path + name, kind, value)
      else read[name] = good
    }
  }
  return read
}

/** Returns the value in its stored form, or undefined if it has another type. */
function readValue(kind: Exclude<FieldKind, 'person'>, value: unknown): unknown {
  switch (kind) {
    case 'int64':
      return toInt64(value) ?? undefined
    case 'text':
      return typeof value === 'string' && value.isWellFormed() && !value.includes('\0') ? value : undefined
    case 'double': {
      const number = typeof value === 'bigint' ? Number(value) : value
      return Number.isFinite(number) ? number : undefined
    }
    case 'flag':
      return typeof value === 'boolean' ? value : undefined
    case 'time':
      return typeof value === 'string' ? (toTime(value) ?? undefined) : undefined
  }
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the keys of a record that are not deal fields. */
export function unknownFields(value: object): string[] {
  return Object.keys(value).filter((key) => !known.has(key))
}
