import { closeSync, existsSync, fsyncSync, openSync, readSync, writeFileSync } from 'node:fs'
import type { Cell, Table } from './tables.ts'

// Reads and writes CSV files in UTF-8 (RFC 4180) with a header, sorted by the integer in the first cell. An
// empty cell means an unknown value; an empty string is written as `""`.

const chunkBytes = 1 << 16
const linesPerWrite = 100
const quote = 0x22
const lineFeed = 0x0a

/** Rows that replace all lines with this ID in the first cell. */
export interface Replacement {
  id: bigint
  rows: Cell[][]
}

export const headerOf = ({ columns }: Table) => csvLine(columns.map(({ name }) => name))

/** Returns cells as a CSV line. */
export const csvLine = (cells: readonly Cell[]) => `${cells.map(formatCell).join(',')}\r\n`

function formatCell(cell: Cell): string {
  if (cell === null) return ''
  return cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

export const parseLine = (line: Buffer): Cell[] =>
  Array.from(
    line.toString().matchAll(/(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(?:,|\r?\n)/gy),
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? (plain || null),
  )

/** Yields the lines of a file after the header, or nothing if the file does not exist. */
export function* linesOf(path: string): Generator<Buffer> {
  if (!existsSync(path)) return
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes)
    let rest = Buffer.alloc(0)
    let isQuoted = false
    let isHeader = true
    for (let count = chunkBytes; count > 0;) {
      count = readSync(file, chunk, 0, chunkBytes, null)
      const data = Buffer.concat([rest, chunk.subarray(0, count)])
      let start = 0
      for (let at = rest.length; at < data.length; at++) {
        if (data[at] === quote) isQuoted = !isQuoted
        if (data[at] !== lineFeed || isQuoted) continue
        if (!isHeader) yield data.subarray(start, at + 1)
        isHeader = false
        start = at + 1
      }
      rest = data.subarray(start)
    }
  } finally {
    closeSync(file)
  }
}

/** Returns the ID in the first cell of a line. */
export const idOfLine = (line: Buffer) => BigInt(line.toString('latin1', 0, line.indexOf(',')))

/** Writes a file in large chunks and syncs it to disk. */
export function writeParts(path: string, parts: Iterable<Buffer | string>): void {
  const file = openSync(path, 'w', 0o600)
  try {
    const pending: Buffer[] = []
    const flush = () => writeFileSync(file, Buffer.concat(pending.splice(0)), { mode: 0o600 })
    for (const part of parts) if (pending.push(Buffer.from(part)) === linesPerWrite) flush()
    flush()
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Yields the header, then the sorted lines with replacements and removals applied. `replacements` must be
 * sorted.
 */
export function* merge(
  lines: Iterable<Buffer>,
  header: string,
  replacements: readonly Replacement[] = [],
  removed: readonly bigint[] = [],
): Generator<Buffer | string> {
  yield header
  const passed = new Set([...replacements.map(({ id }) => id), ...removed])
  let next = 0
  for (const line of lines) {
    const id = idOfLine(line)
    for (; next < replacements.length && replacements[next]!.id <= id; next++)
      yield* replacements[next]!.rows.map(csvLine)
    if (!passed.has(id)) yield line
  }
  for (; next < replacements.length; next++) yield* replacements[next]!.rows.map(csvLine)
}
