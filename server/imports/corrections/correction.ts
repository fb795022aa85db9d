import { valueKindOf } from '../../deals/value-kind.ts'
import type { Fault } from '../../records/reason.ts'
import type { RecordSource } from '../../records/record-source.ts'
import { idOfRecord } from '../../records/record.ts'
import { stringifyJson } from '../../values/int64.ts'
import { readerOf } from '../../values/value.ts'

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
  /** Whether it was imported without the cells that cannot be read. */
  isImported: boolean
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
  isImported: boolean
  /** The fields with corrections. */
  corrected: ReadonlySet<string>
  /** Its cells with their corrections; of a JSON record, only those with corrections. */
  cells: RejectedCell[]
  read: ReadRow
}

type Values = Record<string, unknown>

/** Returns the fields of a JSON record as cells, one per field of a person. */
export function cellsOfRecord(record: unknown): RejectedCell[] {
  if (!isObject(record)) return []
  return Object.entries(record).flatMap(([name, value]) =>
    valueKindOf(`${name}.id`) !== null && isObject(value)
      ? Object.entries(value).flatMap(([part, inner]) => cellsOf(`${name}.${part}`, inner))
      : cellsOf(name, value),
  )
}

const cellsOf = (field: string, value: unknown): RejectedCell[] =>
  valueKindOf(field) === null ? [] : [{ title: field, field, text: textOf(value) }]

function textOf(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'string' ? value.toWellFormed() : stringifyJson(value)
}

/** Returns the record with these texts as field values, parsed like cells; unknown fields are ignored. */
export function withTexts(record: object, texts: Iterable<readonly [field: string, text: string]>): Values {
  const changed = Object.assign(Object.create(null) as Values, record)
  for (const [field, text] of texts) {
    const kind = valueKindOf(field)
    if (kind === null) continue
    const [name, part] = field.split('.') as [string, string | undefined]
    const value = readerOf(kind)(text)
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
  return rows.map(({ line, isTableRow, isImported, cells, read }) => {
    const texts = new Map(byLine.get(line)?.map(({ title, text }) => [title, text]))
    const changed = cells.filter(({ title, text }) => (texts.get(title) ?? text) !== text)
    return {
      line,
      isTableRow,
      isImported,
      corrected: new Set(changed.map(({ field }) => field.split('.')[0]!)),
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
  idOf: ({ read }) => ('value' in read ? idOfRecord(read.value) : null),
  bytesOf: () => null,
  titlesOf: () => [],
  cellsOf: () => [],
  cellOf: ({ cells }, field) => cells.find((cell) => cell.field === field),
  valueOf: ({ read }) => read,
})

/** Returns the rows as an NDJSON file. Of a row that was imported, only the corrected fields are written again. */
export const fileOf = (rows: CorrectedRow[]) =>
  rows.map((row) => ('value' in row.read ? `${stringifyJson(toWrite(row, row.read.value))}\n` : '')).join('')

const toWrite = ({ isImported, corrected }: CorrectedRow, value: unknown) =>
  isImported
    ? Object.fromEntries(
        Object.entries(value as Values).filter(([field]) => field === 'id' || corrected.has(field)),
      )
    : value

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
