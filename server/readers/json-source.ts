import { isUtf8 } from 'node:buffer'
import { type RecordSource, type SourceItem, recordMaxBytes, recordTitle } from '../records/record-source.ts'
import { idOfRecord } from '../records/record.ts'
import { parseInt64, parseJson } from '../values/int64.ts'
import { bytesOf, textOf } from './decode.ts'
import type { Encoding } from './encoding.ts'
import { type RawValue, jsonValues, tooLong, withoutMark } from './json-values.ts'

/** The form of the records in a JSON file: one per line, one after another, or as a list. */
export type JsonForm = 'lines' | 'sequence' | 'list' | 'listInObject'

const depthOf = { sequence: 0, list: 1, listInObject: 2 } as const

/** Returns the records of a JSON file. Empty lines are skipped. */
export function jsonSource(
  path: string,
  encoding: Encoding = 'utf-8',
  form: JsonForm = 'lines',
): RecordSource<RawValue> {
  const read = () =>
    encoding === 'utf-8' ? (bytesOf(path) as AsyncIterable<Buffer>) : asUtf8(path, encoding)
  return {
    items: () => (form === 'lines' ? readLines(read()) : readValues(read(), depthOf[form])),
    idOf,
    bytesOf: (raw) => (typeof raw === 'string' ? null : raw),
    titlesOf: () => [recordTitle],
    cellsOf: (raw) => [typeof raw === 'string' ? '' : raw.toString()],
    valueOf,
  }
}

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

/** Converts a file from another encoding to UTF-8. */
async function* asUtf8(path: string, encoding: Encoding): AsyncGenerator<Buffer> {
  for await (const text of textOf(path, encoding)) yield Buffer.from(text)
}

const joined = (begun: Buffer[], end: Buffer) => (begun.length === 0 ? end : Buffer.concat([...begun, end]))

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

function trim(raw: RawValue, line: number): RawValue {
  if (typeof raw === 'string') return raw
  const bytes = line === 1 ? withoutMark(raw) : raw
  const text = bytes.subarray(0, bytes.at(-1) === 13 ? bytes.length - 1 : bytes.length)
  // A line that contains only spaces and tabs counts as empty.
  return text.some((byte) => byte !== 32 && byte !== 9) ? text : text.subarray(0, 0)
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
