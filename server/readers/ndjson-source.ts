import { isUtf8 } from 'node:buffer'
import {
  type RecordSource,
  type SourceItem,
  recordMaxBytes,
  recordTitle,
} from '../deals/import/record-source.ts'
import { parseInt64, parseJson } from '../protocol/int64.ts'
import { bytesOf, textOf } from './decode.ts'
import type { Encoding } from './encoding.ts'

/** The bytes of a line, or null when it exceeds the record limit. */
type RawLine = Buffer | null

/** Returns the records of an NDJSON file, one per line; empty lines are skipped. */
export function ndjsonSource(path: string, encoding: Encoding = 'utf-8'): RecordSource<RawLine> {
  return {
    items: () =>
      readLines(encoding === 'utf-8' ? (bytesOf(path) as AsyncIterable<Buffer>) : asUtf8(path, encoding)),
    idOf,
    bytesOf: (raw) => raw,
    titlesOf: () => [recordTitle],
    cellsOf: (raw) => [raw?.toString() ?? ''],
    valueOf,
  }
}

/** Yields the text of a file in another encoding as UTF-8. */
async function* asUtf8(path: string, encoding: Encoding): AsyncGenerator<Buffer> {
  for await (const text of textOf(path, encoding)) yield Buffer.from(text)
}

const joined = (begun: Buffer[], end: Buffer) => (begun.length === 0 ? end : Buffer.concat([...begun, end]))

async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceItem<RawLine>> {
  let line = 1
  // The chunks of the current line so far; null once it is too long.
  let begun: Buffer[] | null = []
  let begunBytes = 0
  const finish = (end: Buffer): RawLine => {
    const isTooLong = begunBytes + end.length > recordMaxBytes
    const whole = begun === null || isTooLong ? null : joined(begun, end)
    begun = []
    begunBytes = 0
    return whole
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const raw = trim(finish(chunk.subarray(start, end)), line)
      if (raw?.length !== 0) yield { line, size: raw?.length ?? 0, raw }
      line++
      start = end + 1
    }
    const rest = chunk.subarray(start)
    begunBytes += rest.length
    if (begunBytes > recordMaxBytes) begun = null
    else begun?.push(rest)
  }
  const raw = trim(finish(Buffer.alloc(0)), line)
  if (raw?.length !== 0) yield { line, size: raw?.length ?? 0, raw }
}

const byteOrderMark = Buffer.from('\uFEFF')

function trim(raw: RawLine, line: number): RawLine {
  if (raw === null) return null
  const start = line === 1 && raw.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
  const end = raw.at(-1) === 13 ? raw.length - 1 : raw.length
  const text = raw.subarray(start, end)
  // A line of only spaces and tabs counts as empty.
  return text.some((byte) => byte !== 32 && byte !== 9) ? text : text.subarray(0, 0)
}

const leadingId = /^\s*\{\s*"id"\s*:\s*(-?\d+)\s*[,}]/

function idOf(raw: RawLine): bigint | null {
  if (raw === null) return null
  const leading = parseInt64(leadingId.exec(raw.toString('latin1', 0, 64))?.[1] ?? '')
  if (leading !== null) return leading
  const read = valueOf(raw)
  const id = 'value' in read ? (read.value as { id?: unknown } | null)?.id : null
  return typeof id === 'bigint' || Number.isSafeInteger(id) ? parseInt64(String(id)) : null
}

function valueOf(raw: RawLine): ReturnType<RecordSource['valueOf']> {
  if (raw === null) return fault(`is longer than ${recordMaxBytes} bytes`)
  if (!isUtf8(raw)) return fault('is not UTF-8')
  try {
    return { value: parseJson(raw.toString()) }
  } catch {
    return fault('is not JSON')
  }
}

function fault(reason: string) {
  return { faults: [{ field: null, reason }] }
}
