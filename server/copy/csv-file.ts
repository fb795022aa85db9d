import { closeSync, existsSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import type { Cell, Table } from './tables.ts'

// Files of CSV by RFC 4180 in UTF-8, with a header, sorted by the number in the first cell. An empty cell is
// unknown; an empty text is in quotes.

const chunkBytes = 1 << 20
const quote = 0x22
const lineFeed = 0x0a

/** Rows that replace those with the same number in the first cell. */
export interface Replacement {
  id: bigint
  rows: Cell[][]
}

export const headerOf = ({ columns }: Table) => csvLine(columns.map(({ name }) => name))

/** Formats cells as a line. */
export const csvLine = (cells: readonly Cell[]) => `${cells.map(formatCell).join(',')}\r\n`

function formatCell(cell: Cell): string {
  if (cell === null) return ''
  return cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** Returns the cells of a line. */
export function parseLine(line: string): Cell[] {
  const cells: Cell[] = []
  const end = line.replace(/\r?\n$/, '').length
  for (let at = 0; at <= end; at++) {
    if (line[at] === '"') {
      let close = at + 1
      while (line[close] !== '"' || line[close + 1] === '"') close += line[close] === '"' ? 2 : 1
      cells.push(line.slice(at + 1, close).replaceAll('""', '"'))
      at = close + 1
    } else {
      const comma = line.indexOf(',', at)
      const close = comma < 0 ? end : comma
      cells.push(close === at ? null : line.slice(at, close))
      at = close
    }
  }
  return cells
}

/** Lists the lines of a file after its header; none if it does not exist. */
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

/** Returns the number in the first cell. */
export const idOfLine = (line: Buffer) => BigInt(line.toString('latin1', 0, line.indexOf(',')))

/** Writes to a file in large pieces, at `position`, and waits until they are on the disk. */
export class FileWriter {
  private readonly file: number
  private parts: Buffer[] = []
  private bytes = 0
  position: number

  constructor(path: string, position = 0) {
    this.file = openSync(path, existsSync(path) ? 'r+' : 'w', 0o600)
    this.position = position
  }

  write(content: string | Buffer): void {
    const part = typeof content === 'string' ? Buffer.from(content) : content
    this.parts.push(part)
    this.bytes += part.length
    if (this.bytes >= chunkBytes) this.flush()
  }

  end(): void {
    this.flush()
    fsyncSync(this.file)
    closeSync(this.file)
  }

  private flush(): void {
    const all = Buffer.concat(this.parts)
    for (let done = 0; done < all.length;)
      done += writeSync(this.file, all, done, all.length - done, this.position + done)
    this.position += all.length
    this.parts = []
    this.bytes = 0
  }
}

/** Copies a sorted file with rows replaced or removed; `replacements` are sorted, each id once. */
export function merge(
  from: string,
  to: FileWriter,
  header: string,
  replacements: Replacement[],
  removed: ReadonlySet<bigint>,
): void {
  to.write(header)
  let next = 0
  const writeUpTo = (id: bigint | null) => {
    for (; next < replacements.length && (id === null || replacements[next]!.id <= id); next++)
      for (const row of replacements[next]!.rows) to.write(csvLine(row))
  }
  const replaced = new Set(replacements.map(({ id }) => id))
  for (const line of linesOf(from)) {
    const id = idOfLine(line)
    writeUpTo(id)
    if (!replaced.has(id) && !removed.has(id)) to.write(line)
  }
  writeUpTo(null)
}
