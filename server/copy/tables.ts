import type { DealEvent } from '#public/clients/partner-deals.ts'
import { type FieldKind, dealFields, personFields } from '#server/deals/deal.ts'

/** The kind of a column. A `word` is a short text that can be part of a key. */
export type ColumnKind = Exclude<FieldKind, 'person'> | 'word'

export interface Column {
  name: string
  kind: ColumnKind
}

export interface Table {
  name: 'deals' | 'persons' | 'events' | 'copy'
  columns: readonly Column[]
  key: readonly string[]
}

/** A value as text: digits, an ISO 8601 time, `true` or `false`. Null means unknown. */
export type Cell = string | null

export interface DealRows {
  id: bigint
  deal: Cell[]
  persons: Cell[][]
}

/** Returns the SQL name of a field, such as `hic_agreement` for `hicAgreement`. */
export const columnName = (field: string) =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const withoutPersons = (fields: Record<string, { kind: FieldKind }>) =>
  Object.entries(fields).flatMap(([name, { kind }]) => (kind === 'person' ? [] : [{ name, kind }]))

const fieldsOfDeal = withoutPersons(dealFields)
const fieldsOfPerson = withoutPersons(personFields)
const roles = Object.keys(dealFields).filter((name) => !fieldsOfDeal.some((field) => field.name === name))

/** All fields that this version of the program does not know, as JSON. */
const extra: Column = { name: 'extra', kind: 'text' }

export const dealsTable: Table = {
  name: 'deals',
  columns: [...fieldsOfDeal.map(({ name, kind }) => ({ name: columnName(name), kind })), extra],
  key: ['id'],
}

export const personsTable: Table = {
  name: 'persons',
  columns: [
    { name: 'deal_id', kind: 'int64' },
    { name: 'role', kind: 'word' },
    ...fieldsOfPerson.map(({ name, kind }) => ({
      name: name === 'id' ? 'person_id' : columnName(name),
      kind,
    })),
    extra,
  ],
  key: ['deal_id', 'role'],
}

export const eventsTable: Table = {
  name: 'events',
  columns: [
    { name: 'sequence', kind: 'int64' },
    { name: 'type', kind: 'word' },
    { name: 'occurred_at', kind: 'time' },
    { name: 'deal_id', kind: 'int64' },
    { name: 'changes', kind: 'text' },
  ],
  key: ['sequence'],
}

/** The index of the column for the last change in a deal's row. */
export const lastModifiedAt = dealsTable.columns.findIndex(({ name }) => name === 'last_modified')

/** Identifies the columns of this version. If a copy has different columns, all deals are loaded again. */
export const columnsVersion = [dealsTable, personsTable]
  .flatMap(({ columns }) => columns.map(({ name, kind }) => `${name} ${kind}`))
  .join()

// MySQL's largest DECIMAL has 65 digits, of which cents take two.
const moneyEnd = 1e63
const instant = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Returns a value as text, or undefined if not all databases can store the value in this kind of column. */
function cellOf(kind: ColumnKind, value: unknown): Cell | undefined {
  if (value === null) return null
  switch (kind) {
    case 'int64':
      return /^-?\d{1,19}$/.test(String(value)) ? String(value) : undefined
    case 'double':
    case 'money':
      return typeof value !== 'boolean' && Math.abs(Number(value)) < moneyEnd ? String(value) : undefined
    case 'flag':
      return typeof value === 'boolean' ? String(value) : undefined
    case 'time':
      return typeof value === 'string' && instant.test(value) ? value : undefined
    default:
      return typeof value === 'string' && !value.includes('\0') ? value : undefined
  }
}

/**
 * Returns a cell for each field, followed by a cell with all other values as JSON, or null if there are none.
 */
function cellsOf(fields: typeof fieldsOfDeal, values: Record<string, unknown>, known: object): Cell[] {
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(known, name))
  const cells = fields.map(({ name, kind }) => {
    const cell = cellOf(kind, values[name] ?? (kind === 'flag' ? false : null))
    if (cell === undefined) unknown.push(name)
    return cell ?? null
  })
  const rest = Object.fromEntries(unknown.map((name) => [name, values[name]]))
  return [...cells, unknown.length === 0 ? null : JSON.stringify(rest)]
}

/** Returns the rows that represent a deal. */
export function rowsOf(deal: Record<string, unknown>): DealRows {
  const id = String(deal.id)
  const persons = roles.flatMap((role) => {
    const person = deal[role] as Record<string, unknown> | null | undefined
    return person == null ? [] : [[id, columnName(role), ...cellsOf(fieldsOfPerson, person, personFields)]]
  })
  return { id: BigInt(id), deal: cellsOf(fieldsOfDeal, deal, dealFields), persons }
}

/** Returns the row that represents an event. */
export const eventRow = ({ sequence, type, timestamp, dealId, changes }: DealEvent): Cell[] => [
  String(sequence),
  type,
  timestamp,
  dealId,
  JSON.stringify(changes),
]
