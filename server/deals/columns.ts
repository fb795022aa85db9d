import { type Deal, type DealField, type DealRecord, type FieldKind, type Person, dealFields } from './deal.ts'
import { fold, wordsOf } from './search.ts'

type FieldOf<Kind extends FieldKind> = { [Name in DealField]: (typeof dealFields)[Name]['kind'] extends Kind ? Name : never }[DealField]

/** The boolean fields. */
export type FlagField = FieldOf<'flag'>

/** The fields that say when. */
export type TimeField = FieldOf<'time'>

const fieldsOf = <Kind extends FieldKind>(kind: Kind) => Object.entries(dealFields).flatMap(([name, field]) => (field.kind === kind ? [name as FieldOf<Kind>] : []))

export const flagFields = fieldsOf('flag')
export const timeFields = fieldsOf('time')
const personFields = fieldsOf('person')

/** Fields of which more than the day is kept in their column. */
const instants: ReadonlySet<TimeField> = new Set(['lastModified', 'createDate', 'timeInCurrentStage'])

/** Whether the column of this field holds an instant; otherwise it holds a day, in UTC. */
export const isInstant = (field: TimeField) => instants.has(field)

/** The column in which a field of a deal is found. */
export const columnOf = (field: DealField) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Somebody as found by a search: a name, and an address or an empty text. */
export interface NamedPerson {
  name: string
  email: string
}

/** The types of the columns beside the deal's JSON, by their names in the database. */
export const columnTypes: Readonly<Record<string, string>> = {
  words: 'tsvector', name_key: 'text', city: 'text', state: 'text', stage: 'text', pipeline: 'text', amount: 'float8', system_size: 'float8', flags: 'integer',
  ...Object.fromEntries(timeFields.map((field) => [columnOf(field), isInstant(field) ? 'timestamptz' : 'date'])),
}

const timeColumns = timeFields.map((field) => ({ field, column: columnOf(field), isInstant: isInstant(field) }))

/** What a deal is found, filtered and sorted by, as the database reads it. The ids of its people are known there alone. */
export function columnsOf(deal: Deal | DealRecord): Record<string, string | number | null> {
  const { dealname, firstName, lastName, id } = deal
  const columns: Record<string, string | number | null> = {
    words: wordsOf(deal).map((word) => `'${word}'`).join(' '),
    name_key: fold(dealname || [lastName, firstName].filter(Boolean).join(', ') || `Deal ${id}`).slice(0, 200),
    city: deal.city ?? null,
    state: deal.state ?? null,
    stage: deal.stage ?? null,
    pipeline: deal.pipeline ?? null,
    amount: deal.amount ?? null,
    system_size: sizeOf(deal.systemSize),
    flags: flagFields.reduce((flags, field, bit) => (deal[field] === true ? flags | (1 << bit) : flags), 0),
  }
  for (const { field, column, isInstant: whole } of timeColumns) {
    const time = deal[field] ?? null
    // PostgreSQL has no year 0.
    columns[column] = time === null || time.startsWith('0000') ? null : whole ? time : time.slice(0, 10)
  }
  return columns
}

/** Whoever has a role in the deal, closer and setter included, each once. */
export function peopleOf(deal: Deal | DealRecord): NamedPerson[] {
  const people = personFields.flatMap((field) => named(deal[field]))
  for (const name of [deal.closerName, deal.setterName]) {
    if (typeof name === 'string' && name.trim() !== '' && !people.some((person) => person.name === name.trim())) people.push({ name: name.trim(), email: '' })
  }
  return people.filter(({ name, email }, index) => people.findIndex((other) => other.name === name && other.email === email) === index)
}

function named(person: Person | null | undefined): NamedPerson[] {
  if (person === null || person === undefined) return []
  const email = (person.email ?? '').trim().toLowerCase()
  const name = [person.firstName, person.lastName].filter(Boolean).join(' ').trim() || email
  return name === '' ? [] : [{ name: name.slice(0, 200), email: email.slice(0, 254) }]
}

/** The kilowatts in the text that the size of a system is, or null when it begins with no number. */
function sizeOf(text: string | null | undefined): number | null {
  const [number] = /^\s*\d{1,9}(?:\.\d{1,6})?/.exec(text ?? '') ?? []
  return number === undefined ? null : Number(number)
}
