import { personOf } from '../deals/change.ts'
import { type DealRecord, type FieldKind, dealFields, personFields, valueKindOf } from '../deals/deal.ts'
import { toInt64 } from '../values/int64.ts'
import { notAnId } from '../values/number.ts'
import { toCents } from '../values/units.ts'
import { type ReadValue, Unreadable, readerOf } from '../values/value.ts'
import { type Fault, type ReadCell, quoted, textOf } from './record-source.ts'

type Values = Record<string, unknown>

/** A field and the function that parses its text. */
interface FieldReader {
  name: string
  kind: FieldKind
  read: ReadValue
}

/** The fields of an object, and an object in which all of them are empty. */
interface Fields {
  readers: FieldReader[]
  empty: Readonly<Values>
}

const readNumber = readerOf('number')

/** Parses an amount and rounds it to cents, because programs may write computed amounts with 15 digits. */
function readMoney(text: string): number | null | Unreadable {
  const number = readNumber(text)
  return typeof number === 'number' ? toCents(number) : number
}

const ofDeal = fieldsOf(dealFields, '')
const ofPerson = fieldsOf(personFields, 'owner.')
const known = new Set<string>([...Object.keys(dealFields), 'partner'])
const readText = readerOf('text')

/** Fields that must be readable. Otherwise, the record is rejected. */
const required = new Set(['id', 'partner', 'stage'])

type CellOf = (field: string) => ReadCell | undefined

/**
 * A record and the problems of its unreadable values. Fields with unreadable values keep their stored values.
 */
export interface ReadRecord {
  record: DealRecord
  unreadable: Fault[]
}

/**
 * Reads a record from a parsed JSON value or table row. Returns ids as bigints and times in canonical form,
 * or the problems for which the record is rejected. Parses text by the type of its field, and skips
 * unreadable fields. Written by hand, because a schema library took 60 µs per deal, more than the rest of the
 * import.
 */
export function readRecord(value: unknown, cellOf?: CellOf): ReadRecord | { faults: Fault[] } {
  if (!isObject(value)) return { faults: [{ field: null, reason: 'is not a JSON object' }] }
  const found: Fault[] = []
  const record = readFields(ofDeal, value, '', found)
  const partner = value['partner'] === false ? undefined : value['partner']
  const slug = typeof partner === 'string' ? readText(partner) : partner
  // If the record names no partner, the deal keeps its partner.
  if (typeof slug === 'string' || partner === null) record['partner'] = slug
  else if (slug !== undefined && slug !== null)
    found.push({ field: 'partner', reason: unknownPartner(partner) })
  const faults = found.filter(({ field }) => required.has(field!))
  if (faults.length > 0) return { faults: found }
  const unreadable = found.map((fault) => ({ ...fault, ...(cellOf?.(fault.field!) ?? textIn(value, fault)) }))
  return { record: record as unknown as DealRecord, unreadable }
}

function textIn(value: Values, { field }: Fault): { text?: string } {
  const [name, part] = field!.split('.') as [string, string?]
  const found = part === undefined ? value[name] : (value[name] as Values)[part]
  return found instanceof Unreadable || found == null ? {} : { text: textOf(found) }
}

/** Returns the id of the record in a parsed JSON value, or null if there is no readable id. */
export function idOfRecord(value: unknown): bigint | null {
  const id = isObject(value) ? readValue(ofDeal.readers[0]!, value['id']) : null
  return typeof id === 'bigint' ? id : null
}

/** Returns the reason for a value that does not match any partner. */
export const unknownPartner = (value: unknown) =>
  `${quoted(value)} is not the slug of a partner; the list of partners has the slugs`

function fieldsOf(fields: Readonly<Record<string, { kind: FieldKind }>>, path: string): Fields {
  const readers = Object.entries(fields).map(([name, { kind }]) => ({
    name,
    kind,
    read: kind === 'money' ? readMoney : (readerOf(valueKindOf(path + name) ?? 'text') as ReadValue),
  }))
  const empty = JSON.parse(`{${readers.map(({ name }) => `"${name}":null`).join()}}`) as Values
  return { readers, empty }
}

function readFields({ readers, empty }: Fields, values: Values, path: string, found: Fault[]): Values {
  // Copies a complete object, because adding keys one by one would take twice the time and memory.
  const record: Values = Object.keys(values).length >= readers.length ? { ...empty } : {}
  for (const field of readers) {
    const { name, kind } = field
    const value = values[name]
    if (value === undefined && name !== 'id') {
      delete record[name]
      continue
    }
    const read = kind === 'person' ? readPerson(value, name, found) : readValue(field, value)
    if (read === null && name === 'id')
      found.push({
        field: path + name,
        reason: path === '' && value === undefined ? 'is missing' : 'is empty',
      })
    else if (read instanceof Unreadable) found.push({ field: path + name, reason: read.reason })
    else if (read !== undefined) {
      record[name] = read
      continue
    }
    delete record[name]
  }
  return record
}

/** A reference to another record as written by Odoo: `[7, "Maria Lopez"]`. */
interface Reference {
  id: number | bigint
  name: string
}

/** Returns a value as a reference, or null if the value is not a reference. */
export function referenceOf(value: unknown): Reference | null {
  if (!Array.isArray(value) || value.length !== 2) return null
  const [id, name] = value as unknown[]
  const isId = typeof id === 'bigint' || Number.isSafeInteger(id)
  return isId && typeof name === 'string' ? { id: id as number | bigint, name } : null
}

/** Converts a reference to a person. */
export const referredPerson = ({ id, name }: Reference) => ({
  ...personOf({ name, email: null }),
  id: BigInt(id),
})

/** Returns a person, or undefined if a part of the person cannot be read. */
function readPerson(value: unknown, name: string, found: Fault[]): unknown {
  if (value === null || value === false) return null
  const reference = referenceOf(value)
  if (reference !== null) return referredPerson(reference)
  if (typeof value === 'string') {
    const text = readText(value)
    return typeof text === 'string' ? personOf({ name: text, email: null }) : text
  }
  if (!isObject(value))
    return value instanceof Unreadable
      ? value
      : new Unreadable(
          `${quoted(value)} is not a person; use an object such as {"id": 41203, "firstName": "Maria"}`,
        )
  const before = found.length
  const person = readFields(ofPerson, value, `${name}.`, found)
  return found.length === before ? person : undefined
}

/**
 * Returns a value in the form in which the field is stored, null if the value is empty, or the reason it
 * cannot be read.
 */
function readValue(field: FieldReader, value: unknown): unknown {
  const { name, kind, read } = field
  if (typeof value === 'string') return read(value)
  if (value === null || value === undefined || (value === false && kind !== 'flag')) return null
  if (value instanceof Unreadable) return value
  const reference = referenceOf(value)
  if (reference !== null) return readValue(field, /(?:^i|I)d$/.test(name) ? reference.id : reference.name)
  switch (kind) {
    case 'int64':
      // A number beyond 2^53 may have lost precision.
      return toInt64(value) ?? (typeof value === 'bigint' ? read(String(value)) : notAnId(textOf(value)))
    case 'double':
    case 'money': {
      const number = typeof value === 'bigint' ? Number(value) : value
      if (!Number.isFinite(number)) return read(textOf(value))
      return kind === 'money' ? toCents(number as number) : number
    }
    case 'flag':
      return typeof value === 'boolean' ? value : read(textOf(value))
    case 'text':
      return typeof value === 'number' || typeof value === 'bigint'
        ? read(String(value))
        : new Unreadable(`${quoted(value)} is not text; put it in quotes`)
    default:
      return read(textOf(value))
  }
}

function isObject(value: unknown): value is Values {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unreadable)
  )
}

/** Returns the keys of a record that are not deal fields. */
export function unknownFields(value: object): string[] {
  return Object.keys(value).filter((key) => !known.has(key))
}
