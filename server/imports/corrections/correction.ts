import { type FieldKind, dealFields, personFields } from '../../deals/deal.ts'
import { readCell } from '../../deals/import/cell.ts'
import type { Fault } from '../../deals/import/reason.ts'
import type { RecordSource } from '../../deals/import/record-source.ts'
import { parseInt64, stringifyJson } from '../../protocol/int64.ts'

/** A cell of a rejected row: its column, its field, and its text. */
export interface RejectedCell {
  title: string
  field: string
  text: string
}

/** The value of a record, or the reason for none. */
export type ReadRow = { value: unknown } | { faults: Fault[] }

/** A rejected row by its line in the imported file; one without cells can only be corrected in a file. */
export interface RejectedRow {
  line: number
  cells: RejectedCell[]
  /** Whether it is a table row, not a JSON record. */
  isTableRow: boolean
  /** Returns the record with these texts in place of its own, by title or field. */
  read(texts: ReadonlyMap<string, string>): ReadRow
}

/** The texts that replace those of a row. */
export interface Correction {
  line: number
  cells: { title: string; text: string }[]
}

/** A row with its corrections. */
export interface CorrectedRow {
  line: number
  isTableRow: boolean
  /** Its cells with their corrections; of a JSON record, only those with corrections. */
  cells: RejectedCell[]
  read: ReadRow
}

type Values = Record<string, unknown>

/** Returns the fields of a JSON record as cells, one per field of a person. */
export function cellsOfRecord(record: unknown): RejectedCell[] {
  if (!isObject(record)) return []
  return Object.entries(record).flatMap(([name, value]) =>
    kindOf(name) === 'person' && isObject(value)
      ? Object.entries(value).flatMap(([part, inner]) => cellsOf(`${name}.${part}`, inner))
      : cellsOf(name, value),
  )
}

const cellsOf = (field: string, value: unknown): RejectedCell[] =>
  kindOf(field) === null ? [] : [{ title: field, field, text: textOf(value) }]

function textOf(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'string' ? value.toWellFormed() : stringifyJson(value)
}

/** Returns the type of a field such as `amount` or `owner.email`, or null if unknown. */
function kindOf(field: string): FieldKind | null {
  if (field === 'partner') return 'text'
  const [name, part, ...rest] = field.split('.') as [string, ...string[]]
  const kind = Object.hasOwn(dealFields, name) ? dealFields[name as keyof typeof dealFields].kind : null
  if (part === undefined) return kind
  if (kind !== 'person' || rest.length > 0 || !Object.hasOwn(personFields, part)) return null
  return personFields[part as keyof typeof personFields].kind
}

/** Returns the record with these texts as field values, parsed like cells; unknown fields are ignored. */
export function withTexts(record: object, texts: Iterable<readonly [field: string, text: string]>): Values {
  const changed = Object.assign(Object.create(null) as Values, record)
  for (const [field, text] of texts) {
    const kind = kindOf(field)
    if (kind === null) continue
    const [name, part] = field.split('.') as [string, string | undefined]
    const value = readCell(kind, text)
    if (part === undefined) changed[name] = value
    else changed[name] = { ...(isObject(changed[name]) ? changed[name] : {}), [part]: value }
  }
  // As in a table: an empty cell names no partner.
  if (changed['partner'] === null) delete changed['partner']
  return changed
}

/** Returns the rows with their corrections. */
export function correctRows(rows: RejectedRow[], corrections: Correction[]): CorrectedRow[] {
  const byLine = new Map(corrections.map(({ line, cells }) => [line, cells]))
  return rows.map(({ line, isTableRow, cells, read }) => {
    const texts = new Map(byLine.get(line)?.map(({ title, text }) => [title, text]))
    return {
      line,
      isTableRow,
      cells: cells.flatMap((cell) => {
        const text = texts.get(cell.title)
        if (text !== undefined) return [{ ...cell, text }]
        return isTableRow ? [cell] : []
      }),
      read: read(texts),
    }
  })
}

/** Returns the records of rows, numbered from 1 as lines. */
export const correctedSource = (rows: CorrectedRow[]): RecordSource<CorrectedRow> => ({
  async *items() {
    for (const [index, raw] of rows.entries()) yield { line: index + 1, size: 0, raw }
  },
  idOf({ read }) {
    const id = 'value' in read && isObject(read.value) ? read.value['id'] : null
    return typeof id === 'bigint' || Number.isSafeInteger(id) ? parseInt64(String(id)) : null
  },
  bytesOf: () => null,
  titlesOf: () => [],
  cellsOf: () => [],
  cellOf: ({ cells }, field) => cells.find((cell) => cell.field === field),
  valueOf: ({ read }) => read,
})

/** Returns the rows as an NDJSON file. */
export const fileOf = (rows: CorrectedRow[]) =>
  rows.map(({ read }) => ('value' in read ? `${stringifyJson(read.value)}\n` : '')).join('')

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
