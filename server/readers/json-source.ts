import { isUtf8 } from 'node:buffer'
import { dealFields } from '../deals/deal.ts'
import {
  type Cell,
  type RecordSource,
  type SourceItem,
  recordMaxBytes,
  recordTitle,
} from '../records/record-source.ts'
import { referenceOf, idOfRecord } from '../records/record.ts'
import { parseInt64, parseJson } from '../values/int64.ts'
import { type TextFile, bytesOf, textOf } from './decode.ts'
import type { Encoding, FileSource, TableRow } from './file-source.ts'
import { type RawValue, jsonValues, tooLong, withoutMark } from './json-values.ts'
import { type Row, tableSource } from './table-source.ts'
import { fieldOfTitle } from './title-fields.ts'

/** The form of the records in a JSON file: one per line, one after another, or as a list. */
export type JsonForm = 'lines' | 'sequence' | 'list' | 'listInObject'

const startOfList = /^\[\s*(?:[\]{["\d-]|true\b|false\b|null\b|$)/
const startOfObject = /^\{\s*(?:["}]|$)/
const startOfMember = /^\s*"([^"\\]+)"\s*:\s*/
const plainValue = /^(?:"[^"\\]*"|[-+.\w]+)\s*,/

/**
 * Detects the form of a JSON file by its start (without leading spaces). Returns null if the file is not
 * JSON.
 */
export function jsonFormOf(start: string): JsonForm | null {
  if (startOfList.test(start)) return 'list'
  if (!startOfObject.test(start)) return null
  if (startsWithList(start) && !hasId(start)) return 'listInObject'
  // Programs that indent JSON write the first bracket on its own line.
  return /^\{[ \t]*\r?\n/.test(start) ? 'sequence' : 'lines'
}

/** Returns whether an object without an id begins with a list of objects, possibly after plain values. */
function startsWithList(start: string): boolean {
  let rest = start.slice(1)
  for (;;) {
    const member = startOfMember.exec(rest)
    if (member === null || member[1] === 'id') return false
    rest = rest.slice(member[0].length)
    if (/^\[\s*\{/.test(rest)) return true
    const value = plainValue.exec(rest)
    if (value === null) return false
    rest = rest.slice(value[0].length)
  }
}

/** Returns whether the first line is an object with an id. */
function hasId(start: string): boolean {
  const value = parsed(start.split('\n', 1)[0]!)?.value
  return typeof value === 'object' && value !== null && 'id' in value
}

const depthOf = { sequence: 0, list: 1, listInObject: 2 } as const

/** Returns the records of a JSON file. Empty lines are skipped. */
export function jsonSource(
  file: TextFile,
  encoding: Encoding = 'utf-8',
  form: JsonForm = 'lines',
): RecordSource<RawValue> {
  const read = () =>
    encoding === 'utf-8' ? (bytesOf(file) as AsyncIterable<Buffer>) : asUtf8(file, encoding)
  return {
    items: () => (form === 'lines' ? readLines(read()) : readValues(read(), depthOf[form])),
    idOf,
    bytesOf: (raw) => (typeof raw === 'string' ? null : raw),
    titlesOf: () => [recordTitle],
    cellsOf: (raw) => [typeof raw === 'string' ? '' : raw.toString()],
    valueOf,
  }
}

async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceItem<RawValue>> {
  let line = 1
  // Chunks of the current line so far, or null if the line is too long.
  let begun: Buffer[] | null = []
  let begunBytes = 0
  const finish = (end: Buffer): RawValue => {
    const isTooLong = begunBytes + end.length > recordMaxBytes
    const whole = begun === null || isTooLong ? tooLong : joined(begun, end)
    begun = []
    begunBytes = 0
    return whole
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const raw = trim(finish(chunk.subarray(start, end)), line)
      if (raw.length > 0) yield { line, size: sizeOf(raw), raw }
      line++
      start = end + 1
    }
    const rest = chunk.subarray(start)
    begunBytes += rest.length
    if (begunBytes > recordMaxBytes) begun = null
    else begun?.push(rest)
  }
  const raw = trim(finish(Buffer.alloc(0)), line)
  if (raw.length > 0) yield { line, size: sizeOf(raw), raw }
}

const joined = (begun: Buffer[], end: Buffer) => (begun.length === 0 ? end : Buffer.concat([...begun, end]))

function trim(raw: RawValue, line: number): RawValue {
  if (typeof raw === 'string') return raw
  const bytes = line === 1 ? withoutMark(raw) : raw
  const text = bytes.subarray(0, bytes.at(-1) === 13 ? bytes.length - 1 : bytes.length)
  // A line that contains only spaces and tabs counts as empty.
  return text.some((byte) => byte !== 32 && byte !== 9) ? text : text.subarray(0, 0)
}

async function* readValues(
  chunks: AsyncIterable<Buffer>,
  depth: 0 | 1 | 2,
): AsyncGenerator<SourceItem<RawValue>> {
  let last = 0
  for await (const { line, raw } of jsonValues(chunks, depth)) {
    // Each record needs its own line number, so records of a list in a single line are counted.
    last = Math.max(last + 1, line)
    yield { line: last, size: sizeOf(raw), raw }
  }
}

const sizeOf = (raw: RawValue) => (typeof raw === 'string' ? 0 : raw.length)

async function* asUtf8(file: TextFile, encoding: Encoding): AsyncGenerator<Buffer> {
  for await (const text of textOf(file, encoding)) yield Buffer.from(text)
}

const leadingId = /^\s*\{\s*"id"\s*:\s*(-?\d+)\s*[,}]/

function idOf(raw: RawValue): bigint | null {
  if (typeof raw === 'string') return null
  const leading = parseInt64(leadingId.exec(raw.toString('latin1', 0, 64))?.[1] ?? '')
  if (leading !== null) return leading
  const read = valueOf(raw)
  return 'value' in read ? idOfRecord(read.value) : null
}

function valueOf(raw: RawValue): ReturnType<RecordSource['valueOf']> {
  if (typeof raw === 'string') return fault(raw)
  if (!isUtf8(raw)) return fault('is not UTF-8')
  const text = raw.toString()
  const value = parsed(text) ?? parsed(text.replaceAll(stringOrNaN, nullForNaN).replace(/,\s{0,9}$/, ''))
  return value ?? fault('is not JSON')
}

// Python writes NaN for a missing value. Lines copied from a list end with a comma.
const stringOrNaN = /"(?:[^"\\]|\\[\s\S])*"?|-?\b(?:NaN|Infinity)\b/g
const nullForNaN = (found: string) => (found.startsWith('"') ? found : 'null')

function parsed(text: string): { value: unknown } | null {
  try {
    return { value: parseJson(text) }
  } catch {
    return null
  }
}

function fault(reason: string) {
  return { faults: [{ field: null, reason }] }
}

/** Number of records that are read to decide whether their keys are titles. */
const sampleMax = 100

/** Maximum number of keys. Further keys are ignored. */
const keysMax = 1000

/**
 * Returns a JSON file as a table if its keys are titles such as `Customer Name`, or null if they are field
 * names.
 */
export async function jsonTable(source: RecordSource<RawValue>): Promise<FileSource<Row> | null> {
  const records: Values[] = []
  for await (const { raw } of source.items()) {
    const record = recordIn(source, raw)
    if (record !== null) records.push(record)
    if (records.length === sampleMax) break
  }
  if (!areTitled(records)) return null
  let titles: Promise<string[]> | undefined
  const table = tableSource(() => readRows(source, (titles ??= titlesOf(source))), {
    format: 'JSON',
    headerRow: 0,
  })
  // There are no other rows that could be the header.
  const { readHeader: _, ...rest } = table
  return rest
}

/** Returns whether the keys are human-readable titles that are needed to find the id or the name. */
function areTitled(records: Values[]): boolean {
  const fields = new Set(records.flatMap((record) => Object.keys(record)).filter(isField))
  const titles = new Set(records.flatMap((record) => [...flat(record)].map(([title]) => title)))
  const found = new Set([...titles].filter((title) => !fields.has(title)).map(fieldOfTitle))
  found.delete(undefined)
  if (!fields.has('id') && (found.has('id') || found.size > 1)) return true
  return !fields.values().some((name) => names.has(name)) && found.values().some((name) => names.has(name!))
}

const names: ReadonlySet<string> = new Set(['dealname', 'firstName', 'lastName'])

const isField = (key: string) => Object.hasOwn(dealFields, key) || key === 'partner'

async function* readRows(
  source: RecordSource<RawValue>,
  reading: Promise<string[]>,
): AsyncGenerator<TableRow> {
  const titles = await reading
  const places = new Map(titles.map((title, at) => [title, at]))
  const idAt = Math.max(
    0,
    titles.findIndex((title) => fieldOfTitle(title) === 'id'),
  )
  yield { line: 0, cells: titles }
  for await (const { line, raw } of source.items()) {
    const cells = titles.map((): Cell => '')
    const record = recordIn(source, raw)
    if (record === null)
      cells[idAt] = { value: '', shown: '', problem: 'cannot be read: the record is not JSON' }
    for (const [title, value] of flat(record ?? {})) {
      const at = places.get(title)
      if (at !== undefined) cells[at] = cellTextOf(value)
    }
    yield { line, cells }
  }
}

async function titlesOf(source: RecordSource<RawValue>): Promise<string[]> {
  const titles = new Set<string>()
  for await (const { raw } of source.items())
    for (const [title] of flat(recordIn(source, raw) ?? {})) if (titles.size < keysMax) titles.add(title)
  return [...titles]
}

/**
 * Yields the keys of a record with their values. Keys of an inner object are appended to the outer key:
 * `Address City`. Odoo's `"stage_id": [4, "Won"]` also yields `stage_name`.
 */
function* flat(record: Values): Generator<[title: string, value: unknown]> {
  for (const [key, value] of Object.entries(record)) {
    const reference = referenceOf(value)
    if (reference !== null && key.endsWith('_id')) {
      yield [key, reference.id]
      yield [`${key.slice(0, -'id'.length)}name`, reference.name]
    } else if (!isObject(value)) yield [key, reference?.name ?? value]
    else
      for (const [inner, innerValue] of Object.entries(value))
        yield [wrappers.has(key) ? inner : `${key} ${inner}`, innerValue]
  }
}

// Airtable, HubSpot and Salesforce wrap the values of a record in one of these keys.
const wrappers: ReadonlySet<string> = new Set(['fields', 'properties', 'attributes'])

function recordIn(source: RecordSource<RawValue>, raw: RawValue): Values | null {
  const read = source.valueOf(raw)
  return 'value' in read && isObject(read.value) ? read.value : null
}

type Values = Record<string, unknown>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns a value as cell text. For an object this is its name, and for a list its items joined by commas.
 */
function cellTextOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(cellTextOf).filter(Boolean).join(', ')
  if (!isObject(value)) return String(value)
  const name = ['name', 'label', 'title', 'value', 'text', 'url'].find(
    (key) => typeof value[key] === 'string',
  )
  return name === undefined ? JSON.stringify(value) : String(value[name])
}
