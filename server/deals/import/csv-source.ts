import { createReadStream } from 'node:fs'
import { Transform, pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { withoutEscape } from '../../protocol/csv.ts'
import { parseInt64, parseJson } from '../../protocol/int64.ts'
import { type FieldKind, dealFields, personFields } from '../deal.ts'
import { personOf } from '../given-person.ts'
import { readCell } from './cell.ts'
import {
  type Mapping,
  type RecordSource,
  type SourceColumn,
  type SourceItem,
  UnreadableFile,
  recordMaxBytes,
  recordTitle,
  rejectedTitles,
} from './record-source.ts'
import { type Encoding, type TextFormat, formatName } from './text-format.ts'

interface Row {
  header: Header
  cells: string[]
}

interface Header {
  columns: Column[]
  /** The index of the column `id`, or of the only one if that holds JSON. */
  idIndex: number
  /** The number of columns before the record: those of a file of rejected rows. */
  skipped: number
  /** Whether a row is a record as JSON. */
  isJson: boolean
}

/** A column of the file: a field of a deal, a field of one of its persons, or neither. */
interface Column {
  title: string
  field: string
  personField: string | null
  kind: FieldKind | null
  isIgnored?: true
}

/**
 * Returns the records of a CSV file (RFC 4180, by default UTF-8 with or without a byte order mark); the header names the
 * fields, those of persons as `owner.email`. An empty cell is null; an empty `partner` is ignored.
 */
export function csvSource(
  file: CsvFile,
  format: TextFormat = usualFormat,
  mapping: Mapping = {},
): RecordSource<Row> {
  return {
    format: formatName(format),
    readColumns: () => readColumns(file, format),
    mapped: (other) => csvSource(file, format, other),
    items: () => readRows(file, format, mapping),
    idOf,
    isTableRow: ({ header }) => !header.isJson,
    bytesOf: () => null,
    titlesOf: ({ header: { columns, skipped } }) => columns.slice(skipped).map(({ title }) => title),
    cellsOf: ({ header: { skipped }, cells }) => cells.slice(skipped),
    valueOf,
  }
}

/** The path of a file, or what opens it, once for each time that it is read. */
type CsvFile = string | (() => AsyncIterable<Uint8Array>)

const usualFormat: TextFormat = { encoding: 'utf-8', delimiter: ',' }

async function* readRows(
  file: CsvFile,
  { encoding, delimiter }: TextFormat,
  mapping: Mapping | null,
): AsyncGenerator<SourceItem<Row>> {
  // Counted here: the library counts CRLF in a cell as two lines, and knows where a record ends but not where
  // it starts.
  let linesOfRecords = 0
  const starts: number[] = []
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: recordMaxBytes,
    on_record(cells: string[], { empty_lines: emptyLines }) {
      starts.push(1 + linesOfRecords + emptyLines)
      linesOfRecords += 1 + countLineEnds(cells)
      return cells
    },
  })
  const bytes = typeof file === 'string' ? createReadStream(file) : file()
  if (encoding === 'utf-8') pipeline(bytes, parser, () => {})
  else pipeline(bytes, decoder(encoding), parser, () => {})
  let header: Header | null = null
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      const line = starts.shift()!
      if (header === null) header = readHeader(cells, mapping)
      else
        yield {
          line,
          size: sizeOf(cells),
          raw: { header, cells: header.skipped > 0 ? cells.map(withoutEscape) : cells },
        }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new UnreadableFile(
      `line ${1 + linesOfRecords + Number(error['empty_lines'] ?? 0)}: not CSV as of RFC 4180: ${error.message}`,
    )
  }
}

/** Returns a stream that turns text into UTF-8. */
function decoder(encoding: Encoding): Transform {
  const text = new TextDecoder(encoding)
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, text.decode(chunk, { stream: true })),
    flush: (done) => done(null, text.decode()),
  })
}

function countLineEnds(cells: string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0)
}

/** Returns the approximate size of a record in bytes: its characters and commas. */
function sizeOf(cells: string[]): number {
  return cells.reduce((sum, cell) => sum + cell.length + 1, 0)
}

/** The most columns that a file may have: seven times the fields of a deal and its persons. */
const columnsMax = 1000

const exampleRows = 5
const examplesMax = 3
const exampleMax = 100

/** Returns the columns of a file with their first values, which need not be those of deals. */
async function readColumns(file: CsvFile, format: TextFormat): Promise<SourceColumn[]> {
  const columns: SourceColumn[] = []
  let rows = 0
  // Read without a mapping, a file may lack an id; its rows are read as if the first column were one.
  for await (const { raw } of readRows(file, format, null)) {
    const { columns: all, skipped, isJson } = raw.header
    if (isJson) return []
    if (columns.length === 0)
      columns.push(...all.slice(skipped).map(({ title }) => ({ title, examples: [] })))
    for (const [index, column] of columns.entries()) {
      const cell = raw.cells[skipped + index] ?? ''
      if (cell !== '' && column.examples.length < examplesMax)
        column.examples.push(cell.slice(0, exampleMax).toWellFormed())
    }
    if (++rows === exampleRows) break
  }
  return columns
}

function readHeader(titles: string[], mapping: Mapping | null): Header {
  if (titles.length > columnsMax)
    throw new UnreadableFile(`the header has ${titles.length} columns, and at most ${columnsMax} are read`)
  const seen = new Set<string>()
  for (const title of titles) {
    if (seen.has(title)) throw new UnreadableFile(`the header names ${JSON.stringify(title)} twice`)
    seen.add(title)
  }
  const skipped = rejectedTitles.every((title, index) => titles[index] === title) ? rejectedTitles.length : 0
  const isJson = skipped > 0 && titles.length === skipped + 1 && titles[skipped] === recordTitle
  const targets = titles.map((title) =>
    mapping !== null && Object.hasOwn(mapping, title) ? mapping[title]! : title,
  )
  const idIndex = isJson || mapping === null ? skipped : targets.indexOf('id', skipped)
  if (idIndex < 0) throw new UnreadableFile('the header has no column "id"')
  const columns = titles.map((title, index) => readTitle(title, targets[index]!))
  return { columns, idIndex, skipped, isJson }
}

/** Returns a person; one without a column for the id is given by name and e-mail address. */
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

function readTitle(title: string, target: string): Column {
  if (target === '' && title !== '')
    return { title, field: '', personField: null, kind: null, isIgnored: true }
  const [field, personField, ...rest] = target.split('.') as [string, ...string[]]
  const kind = Object.hasOwn(dealFields, field) ? dealFields[field as keyof typeof dealFields].kind : null
  if (personField === undefined)
    return { title, field, personField: null, kind: target === 'partner' ? 'text' : kind }
  const isPerson = kind === 'person' && rest.length === 0
  const known = isPerson && Object.hasOwn(personFields, personField)
  const isName = isPerson && personField === 'name'
  return {
    title,
    field,
    personField,
    kind: isName ? 'text' : kindOf(personField, known),
  }
}

const kindOf = (personField: string, isKnown: boolean) =>
  isKnown ? personFields[personField as keyof typeof personFields].kind : null

function idOf({ header, cells }: Row): bigint | null {
  const cell = cells[header.idIndex] ?? ''
  if (!header.isJson) return parseInt64(cell)
  const value = jsonOf(cell)
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null
  return typeof id === 'bigint' || Number.isSafeInteger(id) ? parseInt64(String(id)) : null
}

/** Returns the JSON value of a cell, or undefined when it is not JSON. */
function jsonOf(cell: string): unknown {
  try {
    return parseJson(cell)
  } catch {
    return undefined
  }
}

function valueOf({ header, cells }: Row): ReturnType<RecordSource['valueOf']> {
  const { columns } = header
  if (cells.length !== columns.length)
    return { faults: [{ field: null, reason: `has ${cells.length} cells, the header ${columns.length}` }] }
  const faults = columns.flatMap(({ title }, index) =>
    cells[index]!.includes('\uFFFD') ? [{ field: title, reason: 'is not UTF-8 (or holds U+FFFD)' }] : [],
  )
  if (faults.length > 0) return { faults }
  if (header.isJson) {
    const value = jsonOf(cells[header.idIndex]!)
    return value === undefined ? { faults: [{ field: null, reason: 'is not JSON' }] } : { value }
  }
  // Without a prototype, so that a column can have any title.
  const value = Object.create(null) as Record<string, unknown>
  const persons: Record<string, Record<string, unknown>> = {}
  for (const [index, { title, field, personField, kind, isIgnored }] of columns.entries()) {
    const cell = cells[index]!
    if (index < header.skipped || isIgnored === true) continue
    if (field === 'partner' && personField === null && cell === '') continue
    if (kind === null) {
      // Kept under its title, so that it is reported as unknown.
      value[title] = cell
    } else if (personField === null) {
      value[field] = readCell(kind, cell)
    } else {
      const person = (persons[field] ??= {})
      person[personField] = readCell(kind, cell)
    }
  }
  for (const [field, person] of Object.entries(persons))
    value[field] = Object.values(person).every((cell) => cell === null) ? null : whole(person)
  return { value }
}
