import { type FieldKind, dealFields, personFields } from '../deals/deal.ts'
import { personOf } from '../deals/given-person.ts'
import {
  type Cell,
  type DecimalSign,
  cellName,
  cellProblem,
  columnName,
  readCell,
  shownText,
  textFor,
} from '../deals/import/cell.ts'
import type { ReadCell } from '../deals/import/reason.ts'
import {
  type HeaderRow,
  type Mapping,
  type RecordSource,
  type SourceColumn,
  type SourceItem,
  UnreadableHeader,
  recordTitle,
  rejectedTitles,
} from '../deals/import/record-source.ts'
import { ellipsize } from '../deals/shorten.ts'
import { withoutEscape } from '../protocol/csv.ts'
import { parseInt64, parseJson } from '../protocol/int64.ts'
import type { Zone } from '../protocol/zone.ts'
import { findHeader, headerRowsMax } from './header-row.ts'
import { isDated, zoneOfTitle } from './mapping.ts'

/** A table row; numbered by line in a text file. */
export interface TableRow {
  line: number
  cells: Cell[]
  isHidden?: boolean
  /** Whether a sheet marks the row as one of totals. */
  isTotal?: true
}

export interface TableSettings {
  /** The format of the table in words. */
  format: string
  decimal?: DecimalSign
  /** Whether dates with slashes have the day before the month. */
  dayFirst?: boolean
  /** The number of the header row; null: detected. */
  headerRow: number | null
  /** The number of hidden rows of a sheet; absent for a text file. */
  hidden?: number
  /** The hidden columns of a sheet, counted from 0. */
  hiddenColumns?: number[]
  /** The cells of a sheet beyond the columns that are read, and the names of the first ones. */
  beyond?: { count: number; names: string[] }
}

/** A row to be read as a record. */
interface Row {
  header: Header
  cells: Cell[]
  line: number
}

interface Header {
  columns: Column[]
  /** The index of the `id` column, or of the only column if it contains JSON. */
  idIndex: number
  /** The number of columns before the record, in a file of rejected rows. */
  skipped: number
  /** Whether a row is a record in JSON. */
  isJson: boolean
  /** Whether formula-like cells are escaped with an apostrophe. */
  isEscaped: boolean
  isSheet: boolean
  decimal: DecimalSign
  dayFirst: boolean
}

/** A column of the table: a deal field, a field of a person, or neither. */
interface Column {
  title: string
  field: string
  personField: string | null
  kind: FieldKind | null
  /** The zone of its times. */
  zone: Zone | undefined
  isIgnored?: true
  /** Whether it is hidden in its sheet; it is then read only if it is mapped. */
  isHidden?: true
}

/**
 * Returns the records of a table with field names as header, such as `owner.email` for people. An empty cell
 * is null; an empty `partner` is ignored. `read` reopens the non-empty rows for each pass.
 */
export function tableSource(
  read: () => AsyncIterable<TableRow>,
  settings: TableSettings,
  mapping: Mapping = {},
): RecordSource<Row> {
  return {
    format: settings.format,
    readHeader: () => readHeaderRow(read, settings),
    readColumns: () => readColumns(read, settings),
    mapped: (other, dayFirst = false) => tableSource(read, { ...settings, dayFirst }, other),
    items: () => readRows(read, settings, mapping),
    idOf,
    isTableRow: ({ header }) => !header.isJson,
    bytesOf: () => null,
    titlesOf: ({ header: { columns, skipped } }) => columns.slice(skipped).map(({ title }) => title),
    cellsOf: ({ header: { columns, skipped }, cells }) =>
      cells.slice(skipped).map((cell, index) => textIn(columns[skipped + index], cell)),
    cellOf,
    valueOf,
  }
}

/** Yields the header row, then the rows below. */
async function* fromHeader(
  read: () => AsyncIterable<TableRow>,
  { headerRow }: TableSettings,
): AsyncGenerator<TableRow> {
  const first: TableRow[] = []
  let isFound = false
  for await (const row of read()) {
    if (isFound) yield row
    else if (headerRow !== null) {
      if (row.line > headerRow) break
      isFound = row.line === headerRow
      if (isFound) yield row
    } else if (first.push(row) === headerRowsMax) {
      isFound = true
      yield* belowTitles(first.splice(0))
    }
  }
  if (headerRow !== null && !isFound) throw new UnreadableHeader(`row ${headerRow} is empty`)
  yield* belowTitles(first)
}

/** Returns the rows without those above the header. */
const belowTitles = (rows: TableRow[]) => rows.slice(findHeader(rows.map(({ cells }) => cells)))

async function* readRows(
  read: () => AsyncIterable<TableRow>,
  settings: TableSettings,
  mapping: Mapping | null,
): AsyncGenerator<SourceItem<Row>> {
  let header: Header | null = null
  let isEmpty = true
  for await (const { line, cells } of fromHeader(read, settings)) {
    if (header === null) {
      header = readTitles(cells.map(shownText), settings, mapping)
      continue
    }
    isEmpty = false
    const texts = header.isEscaped ? cells.map(withoutEscapeOf) : cells
    const fitted = header.isSheet ? fit(texts, header.columns.length) : texts
    yield { line, size: sizeOf(cells), raw: { header, cells: fitted, line } }
  }
  // A file of rejected rows may have none.
  if (isEmpty && (settings.hidden !== undefined || header?.skipped === 0))
    throw new UnreadableHeader('there is no row to import')
}

/** Returns as many cells as there are columns, unless further ones have content. */
function fit(cells: Cell[], width: number): Cell[] {
  const last = cells.findLastIndex((cell) => shownText(cell) !== '')
  const kept = cells.slice(0, Math.max(last + 1, width))
  while (kept.length < width) kept.push('')
  return kept
}

/** Returns the approximate size of a record in bytes: its characters and commas. */
function sizeOf(cells: Cell[]): number {
  return cells.reduce(
    (sum: number, cell) => sum + (typeof cell === 'string' ? cell : cell.value).length + 1,
    0,
  )
}

const choiceMax = 80

/** Returns the header row, and other possible header rows. */
async function readHeaderRow(
  read: () => AsyncIterable<TableRow>,
  settings: TableSettings,
): Promise<HeaderRow | null> {
  const choices: HeaderRow['choices'] = []
  const first: Cell[][] = []
  let hiddenAbove = 0
  for await (const { line, cells, isHidden } of read()) {
    const isChosen = line === settings.headerRow
    if (isHidden === true && line <= (settings.headerRow ?? 0)) hiddenAbove++
    if (first.length < headerRowsMax || isChosen) {
      const texts = cells.map(shownText).filter((text) => text !== '')
      choices.push({ row: line, text: ellipsize(texts.join(' · ').toWellFormed(), choiceMax) })
      first.push(cells)
    }
    if (first.length >= headerRowsMax && line >= (settings.headerRow ?? 0)) break
  }
  if (first.length === 0) return null
  const row = settings.headerRow ?? choices[findHeader(first)]!.row
  return { row, choices, hiddenRows: (settings.hidden ?? 0) - hiddenAbove }
}

/** Maximum columns of a file: seven times the fields of a deal and its people. */
const columnsMax = 1000

const exampleRows = 5
const examplesMax = 3
const exampleMax = 100

// Enough rows to infer the order of day and month, and whether dates are in the future.
const dateRows = 1000

/** Returns the columns of a table with their first values. */
async function readColumns(
  read: () => AsyncIterable<TableRow>,
  settings: TableSettings,
): Promise<SourceColumn[]> {
  const columns: SourceColumn[] = []
  let rows = 0
  // Without a mapping, a file may lack an id; its rows are then read as if the first column were one.
  for await (const { raw } of readRows(read, settings, null)) {
    const { columns: all, skipped, isJson } = raw.header
    if (isJson) return []
    if (columns.length === 0)
      columns.push(
        ...all.slice(skipped).map(({ title, isHidden }) => ({
          title,
          examples: [],
          dates: [],
          ...(isHidden && { hidden: isHidden }),
        })),
      )
    for (const [index, column] of columns.entries()) addCell(column, raw.cells[skipped + index] ?? '', rows)
    if (++rows === dateRows) break
  }
  return columns
}

/** Adds a cell of a row, counted from 0, to the statistics of its column. */
function addCell({ examples, dates }: SourceColumn, cell: Cell, row: number): void {
  const date = textFor('time', cell)
  if (isDated(date)) dates.push(date.slice(0, exampleMax))
  if (row >= exampleRows || examples.length === examplesMax) return
  const shown = shownText(cell)
  if (shown !== '') examples.push(shown.slice(0, exampleMax).toWellFormed())
}

function readTitles(found: string[], settings: TableSettings, mapping: Mapping | null): Header {
  const isSheet = settings.hidden !== undefined
  const titles = isSheet ? namedTitles(found) : found
  if (titles.length > columnsMax)
    throw new UnreadableHeader(`the header has ${titles.length} columns, and at most ${columnsMax} are read`)
  const seen = new Set<string>()
  for (const title of titles) {
    if (seen.has(title)) throw new UnreadableHeader(`the header names ${JSON.stringify(title)} twice`)
    seen.add(title)
  }
  const skipped = rejectedTitles.every((title, index) => titles[index] === title) ? rejectedTitles.length : 0
  const isJson = skipped > 0 && titles.length === skipped + 1 && titles[skipped] === recordTitle
  const hidden = new Set(settings.hiddenColumns)
  const targets = titles.map((title, index) => {
    if (mapping !== null && Object.hasOwn(mapping, title)) return mapping[title]!
    return hidden.has(index) ? '' : title
  })
  const idIndex = isJson || mapping === null ? skipped : targets.indexOf('id', skipped)
  if (idIndex < 0) throw new UnreadableHeader('the header has no column "id"')
  const columns = titles.map((title, index) => ({
    ...readTitle(title, targets[index]!),
    ...(hidden.has(index) && { isHidden: true as const }),
  }))
  const isEscaped = skipped > 0 || (!isSheet && exportTitles.every((title) => seen.has(title)))
  return {
    columns,
    idIndex,
    skipped,
    isJson,
    isEscaped,
    isSheet,
    decimal: settings.decimal ?? '.',
    dayFirst: settings.dayFirst ?? false,
  }
}

/** Titles in files of deals exported from the portal. */
const exportTitles = ['Deal ID', 'Deal']

/**
 * Returns the titles of a sheet up to the last one; empty ones, except the first, are named by column letter.
 */
function namedTitles(titles: string[]): string[] {
  const known = titles.slice(0, titles.findLastIndex((title) => title !== '') + 1)
  const first = known.indexOf('')
  return known.map((title, index) =>
    title === '' && index !== first ? `Column ${columnName(index)}` : title,
  )
}

/** Returns a person; without an id column, identified by name and e-mail address. */
function whole({ name, ...person }: Record<string, unknown>): Record<string, unknown> {
  if ('id' in person || !('email' in person || name !== undefined))
    return name === undefined ? person : { ...person, ...namesOf(String(name ?? '')) }
  const { firstName = null, lastName = null } = person
  const given = name ?? [firstName, lastName].filter(Boolean).join(' ')
  return {
    ...person,
    ...personOf({ name: String(given), email: (person['email'] ?? null) as string | null }),
  }
}

function namesOf(name: string) {
  const { firstName, lastName } = personOf({ name, email: null })
  return { firstName, lastName }
}

/** Returns a cell of a file of rejected rows as it was in the imported file. */
const withoutEscapeOf = (cell: Cell): Cell => (typeof cell === 'string' ? withoutEscape(cell) : cell)

function readTitle(title: string, target: string): Column {
  const zone = zoneOfTitle(title).zone ?? undefined
  if (target === '' && title !== '')
    return { title, field: '', personField: null, kind: null, zone, isIgnored: true }
  const [field, personField, ...rest] = target.split('.') as [string, ...string[]]
  const kind = Object.hasOwn(dealFields, field) ? dealFields[field as keyof typeof dealFields].kind : null
  if (personField === undefined)
    return { title, field, personField: null, kind: target === 'partner' ? 'text' : kind, zone }
  const isPerson = kind === 'person' && rest.length === 0
  const known = isPerson && Object.hasOwn(personFields, personField)
  const isName = isPerson && personField === 'name'
  return { title, field, personField, kind: isName ? 'text' : kindOf(personField, known), zone }
}

const kindOf = (personField: string, isKnown: boolean) =>
  isKnown ? personFields[personField as keyof typeof personFields].kind : null

function idOf({ header, cells }: Row): bigint | null {
  const cell = textFor('int64', cells[header.idIndex] ?? '')
  if (!header.isJson) return parseInt64(cell)
  const value = jsonOf(cell)
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null
  return typeof id === 'bigint' || Number.isSafeInteger(id) ? parseInt64(String(id)) : null
}

/** Explains that a row has a different number of cells than the header. */
export const cellCountProblem = (cells: number, columns: number) =>
  `has ${cells} cells, and the header ${columns}; check its separators and quotes`

/** Returns the cell that a field was read from. */
function cellOf({ header, cells }: Row, field: string): ReadCell | undefined {
  if (header.isJson) return undefined
  const index = header.columns.findIndex(
    (column, at) => at >= header.skipped && column.isIgnored !== true && nameOf(column) === field,
  )
  return index < 0 ? undefined : { title: header.columns[index]!.title, text: shownText(cells[index] ?? '') }
}

/** Returns the text that a column's field is parsed from: of a link, the address if the field is one. */
function textIn(column: Column | undefined, cell: Cell): string {
  const link = typeof cell === 'string' || column === undefined ? undefined : cell.link
  if (link !== undefined) {
    const mailbox = /^mailto:([^?]+)/i.exec(link)?.[1]
    const name = nameOf(column!)
    if (mailbox !== undefined && (column!.personField === 'email' || name === 'hoaEmail')) return mailbox
    if (mailbox === undefined && name === 'proposalLink') return link
  }
  return textFor(column?.kind ?? null, cell)
}

const nameOf = ({ field, personField }: Column) => (personField === null ? field : `${field}.${personField}`)

/** Returns the JSON value of a cell, or undefined if it is not JSON. */
function jsonOf(cell: string): unknown {
  try {
    return parseJson(cell)
  } catch {
    return undefined
  }
}

function valueOf(row: Row): ReturnType<RecordSource['valueOf']> {
  const { header, cells } = row
  const { columns } = header
  if (cells.length !== columns.length)
    return { faults: [{ field: null, reason: cellCountProblem(cells.length, columns.length) }] }
  const faults = faultsOf(row)
  if (faults.length > 0) return { faults }
  if (header.isJson) {
    const value = jsonOf(shownText(cells[header.idIndex]!))
    return value === undefined ? { faults: [{ field: null, reason: 'is not JSON' }] } : { value }
  }
  // Without a prototype, so a column can have any title.
  const value = Object.create(null) as Record<string, unknown>
  const persons: Record<string, Record<string, unknown>> = {}
  for (const [index, { title, field, personField, kind, zone, isIgnored }] of columns.entries()) {
    if (index < header.skipped || isIgnored === true) continue
    const cell = textIn(columns[index], cells[index]!)
    if (field === 'partner' && personField === null && cell === '') continue
    const { decimal, dayFirst } = header
    const read = () => readCell(kind!, cell, { decimal, dayFirst, ...(zone && { zone }) })
    // An unknown field is kept under its title and reported.
    if (kind === null) value[title] = cell
    else if (personField === null) value[field] = read()
    else (persons[field] ??= {})[personField] = read()
  }
  for (const [field, person] of Object.entries(persons))
    value[field] = Object.values(person).every((cell) => cell === null) ? null : whole(person)
  return { value }
}

/** Returns the problems of cells read as fields. */
function faultsOf({ header: { columns, skipped, isJson, isSheet }, cells, line }: Row) {
  return columns.flatMap((column, index) => {
    const { title, kind, isIgnored } = column
    const cell = cells[index]!
    if (typeof cell === 'string' && cell.includes('\uFFFD'))
      return [{ field: title, reason: 'has characters that cannot be read; save the file as UTF-8' }]
    if (index < skipped || isJson || isIgnored === true || kind === null) return []
    const problem = cellProblem(cell)
    if (problem === null) return []
    const place = isSheet ? ` (cell ${cellName(index, line)})` : ''
    return [{ field: nameOf(column), reason: `${problem}${place}` }]
  })
}
