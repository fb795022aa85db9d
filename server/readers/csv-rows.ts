import { recordMaxBytes } from '../records/record-source.ts'
import { type TextFile, textOf } from './decode.ts'
import { type Encoding, encodings, type FileSource, type TableRow } from './file-source.ts'
import { countKnown } from './header-row.ts'
import { type Row, tableSource } from './table-source.ts'

/** Characters that may separate the cells of a row, and their names. */
const delimiters = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
  '~': 'tildes',
} as const

export type Delimiter = keyof typeof delimiters

/** The format of a text file with rows of cells. */
export interface TextFormat {
  encoding: Encoding
  delimiter: Delimiter
  /**
   * Set if each row is quoted as a whole, as written by a spreadsheet that read the file as a single column.
   */
  isQuoted?: boolean
  /** Set if quotes within a cell are escaped with a backslash, as in files of MySQL, Hive and Spark. */
  isBackslashed?: boolean
}

const usualFormat: TextFormat = { encoding: 'utf-8', delimiter: ',' }

/**
 * Returns the records of a CSV file, by default in UTF-8. The header is in line `headerRow`, or is detected
 * if the line is not given.
 */
export const csvSource = (
  file: TextFile,
  format: TextFormat = usualFormat,
  { headerRow = null }: { headerRow?: number | null } = {},
): FileSource<Row> =>
  tableSource(() => readRows(file, format), {
    format: formatName(format),
    delimiter: format.delimiter,
    headerRow,
  })

/** Describes the format: `CSV, separated by semicolons, in Windows-1252`. */
export const formatName = ({ encoding, delimiter }: TextFormat) =>
  `CSV, separated by ${delimiters[delimiter]}, in ${encodings[encoding]}`

/** Returns the delimiter of a string as `delimiterOf` does, and how its cells are quoted. */
export function rowFormatOf(text: string, isCutOff = false): Omit<TextFormat, 'encoding'> {
  const outer = delimiterOf(text, isCutOff)
  const rows = firstRows(text, outer, rowsMax, isCutOff)
  const isOneColumn = text.startsWith('"') && rows.every((cells) => cells.length === 1)
  const delimiter = isOneColumn ? delimiterOf(rows.join('\n')) : outer
  const isQuoted = isOneColumn && rows.every(([cell]) => cell!.includes(delimiter))
  if (isQuoted) return { delimiter, isQuoted }
  return { delimiter: outer, ...(backslashed.test(text) && { isBackslashed: true }) }
}

// Matches an escaped quote within a quoted cell.
const backslashed = /(?:^|[,;\t|~\n])"[^"\r\n]*\\"[^",;\t|~\r\n]/

/**
 * Returns the delimiter that splits most of the first rows into the same number of cells and yields the most
 * field titles, or a comma by default. `isCutOff` means that the text ends within a row.
 */
export function delimiterOf(text: string, isCutOff = false): Delimiter {
  const [, named] = separatorLine.exec(/^[^\r\n]{0,20}/.exec(text)![0]) ?? []
  if (named !== undefined && Object.hasOwn(delimiters, named)) return named as Delimiter
  const scores = (Object.keys(delimiters) as Delimiter[]).map((delimiter) => ({
    delimiter,
    score: scoreOf(firstRows(text, delimiter, rowsMax, isCutOff)),
  }))
  const best = scores.reduce((top, other) => (other.score > top.score ? other : top))
  return best.score === 0 ? ',' : best.delimiter
}

// Excel reads the delimiter from a first line like this.
const separatorLine = /^"?sep=(.)"?\s*$/i

/** Returns whether a row is the line that tells Excel the delimiter. */
export const isSeparatorLine = ([first = '', ...rest]: string[]) =>
  /^sep=.?$/i.test(first) && rest.every((cell) => cell === '')

const rowsMax = 100

/** Rates how much the rows look like a table. A single-cell title above the table has little effect. */
function scoreOf(rows: string[][]): number {
  const rowsByWidth = new Map<number, number>()
  for (const { length } of rows) if (length > 1) rowsByWidth.set(length, (rowsByWidth.get(length) ?? 0) + 1)
  const evenness = Math.max(0, ...[...rowsByWidth].map(([width, count]) => (width - 1) * count ** 2))
  const known = Math.max(0, ...rows.slice(0, 20).map((cells) => (cells.length > 1 ? countKnown(cells) : 0)))
  return evenness * (1 + known)
}

/** Returns whether the columns of a string are aligned by spaces with no delimiter. */
export function isFixedWidth(text: string): boolean {
  const lines = text.split(/\r?\n/, rowsMax).filter((line) => line.trim() !== '')
  const titles = lines[0]?.trim().split(/\s{2,}/) ?? []
  return titles.length > 2 && countKnown(titles) >= 2 && !lines.some((line) => /[,;\t|]/.test(line))
}

/** Returns the first non-empty rows of a string. If the text is cut off, drops its last row. */
function firstRows(text: string, delimiter: string, count: number, isCutOff: boolean): string[][] {
  const parser = new RowParser(delimiter)
  const rows: string[][] = []
  const add = (found: Iterable<CsvRow>) => {
    for (const { cells } of found) {
      if (rows.length === count) break
      if (cells.some((cell) => cell !== '')) rows.push(cells)
    }
  }
  add(parser.add(text))
  if (!isCutOff) add(parser.end())
  return rows
}

async function* readRows(
  file: TextFile,
  { encoding, delimiter, isQuoted = false, isBackslashed = false }: TextFormat,
): AsyncGenerator<TableRow> {
  const text = textOf(file, encoding)
  for await (const row of csvRows(isBackslashed ? unescaped(text) : text, delimiter)) {
    if (row.line === 1 && isSeparatorLine(row.cells)) continue
    const [cell = ''] = row.cells
    const inner = isQuoted && row.cells.length === 1 ? firstRows(cell, delimiter, 1, false)[0] : undefined
    yield inner === undefined ? row : { ...row, cells: inner }
  }
}

/** Converts quotes escaped by a backslash to doubled quotes. */
async function* unescaped(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const text = rest + chunk
    rest = /(?:^|[^\\])(?:\\\\){0,99}\\$/.test(text) ? '\\' : ''
    yield text
      .slice(0, text.length - rest.length)
      .replaceAll(/\\(["\\])/g, (_, sign: string) => (sign === '"' ? '""' : sign))
  }
  yield rest
}

/** A row of delimited text. */
export interface CsvRow extends TableRow {
  cells: string[]
}

/**
 * Yields the rows of delimited text as Excel and Python read them (RFC 4180 and beyond). All kinds of line
 * ends are accepted. A quote within a cell is plain text, and so is an unclosed quote at the start of a cell,
 * so that it only affects its own row. A blank line has one empty cell.
 */
export async function* csvRows(
  chunks: AsyncIterable<string> | Iterable<string>,
  delimiter: string,
): AsyncGenerator<CsvRow> {
  const parser = new RowParser(delimiter)
  for await (const chunk of chunks) yield* parser.add(chunk)
  yield* parser.end()
}

class RowParser {
  readonly #delimiter: string
  #text = ''
  #start = 0
  #line = 1
  #isEnded = false
  /** True if the start of the current row was dropped because the row is too long. */
  #isSkipping = false
  readonly #next = { '\n': new NextPlace('\n'), '\r': new NextPlace('\r'), quote: new NextPlace(quote) }

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  *add(chunk: string): Generator<CsvRow> {
    // Some programs pad fields or files with NUL characters.
    const added = chunk.includes('\0') ? chunk.replaceAll('\0', '') : chunk
    this.#text = this.#text.slice(this.#start) + added
    this.#start = 0
    for (const next of Object.values(this.#next)) next.reset()
    yield* this.#rows()
  }

  *end(): Generator<CsvRow> {
    // DOS programs end files with this character.
    while (this.#text.endsWith('\x1a')) this.#text = this.#text.slice(0, -1)
    this.#isEnded = true
    for (const next of Object.values(this.#next)) next.reset()
    yield* this.#rows()
  }

  *#rows(): Generator<CsvRow> {
    while (this.#start < this.#text.length) {
      const row = this.#parseRow()
      if (row === null && this.#text.length - this.#start <= recordMaxBytes) return
      const line = this.#line
      if (row === null) {
        yield* this.#skip(line)
        return
      }
      const isTooLong = row.end - this.#start > recordMaxBytes
      this.#line += row.lines
      this.#start = row.end
      if (this.#isSkipping) this.#isSkipping = false
      else yield isTooLong ? { line, cells: [], isTooLong } : { line, cells: row.cells }
    }
  }

  /** Drops the text of a row that is too long, except a trailing CR that may be followed by an LF. */
  *#skip(line: number): Generator<CsvRow> {
    this.#start = this.#text.length - 1
    if (!this.#isSkipping) yield { line, cells: [], isTooLong: true }
    this.#isSkipping = true
  }

  #countLines(end: number): number {
    let count = 1
    for (let at = this.#lineEnd(this.#start); at < end; at = this.#lineEnd(this.#afterLineEnd(at))) count++
    return count
  }

  /** Returns the position of the next line end, or the length of the text. */
  #lineEnd(from: number): number {
    const { '\n': lf, '\r': cr } = this.#next
    return Math.min(lf.after(this.#text, from), cr.after(this.#text, from))
  }

  #afterLineEnd(at: number): number {
    return this.#text[at] === '\r' && this.#text[at + 1] === '\n' ? at + 2 : at + 1
  }

  /** Returns the row at the start, or null if the text ends before it. */
  #parseRow(): ParsedRow | null {
    const start = this.#start
    const text = this.#text
    const lineEnd = this.#lineEnd(start)
    // A CR at the end of the text may be followed by an LF in the next chunk.
    const isWhole = this.#isEnded || lineEnd + 1 < text.length || text[lineEnd] === '\n'
    if (isWhole && this.#next.quote.after(text, start) >= lineEnd)
      return {
        cells: text.slice(start, lineEnd).split(this.#delimiter),
        end: this.#rowEnd(lineEnd),
        lines: 1,
      }
    const cells: string[] = []
    for (let at = start; ; at++) {
      const quoted = this.#quotedCell(at)
      if (quoted === null) return null
      const { value, end } = quoted ?? this.#plainCell(at)
      cells.push(value)
      if (text[end] !== this.#delimiter) {
        const isAtEnd = end >= text.length || (text[end] === '\r' && end + 1 === text.length)
        if (isAtEnd && !this.#isEnded) return null
        return { cells, end: this.#rowEnd(end), lines: this.#countLines(end) }
      }
      at = end
    }
  }

  #rowEnd(lineEnd: number): number {
    return lineEnd < this.#text.length ? this.#afterLineEnd(lineEnd) : lineEnd
  }

  #plainCell(at: number): { value: string; end: number } {
    const end = this.#cellEnd(at)
    return { value: this.#text.slice(at, end), end }
  }

  /** Returns the position of the delimiter or line end after a cell. */
  #cellEnd(from: number): number {
    const lineEnd = this.#lineEnd(from)
    const delimiter = this.#text.indexOf(this.#delimiter, from)
    return delimiter < 0 ? lineEnd : Math.min(delimiter, lineEnd)
  }

  /** Returns a quoted cell, undefined for an unquoted cell, or null if more text is needed to decide. */
  #quotedCell(at: number): { value: string; end: number } | undefined | null {
    const text = this.#text
    const open = this.#afterBlanks(at)
    if (text[open] !== quote) return open === text.length && !this.#isEnded ? null : undefined
    let close = open + 1
    for (; ; close += 2) {
      close = text.indexOf(quote, close)
      if (close < 0 || close - open > recordMaxBytes) {
        const isKnown = this.#isEnded || text.length - open > recordMaxBytes
        return isKnown ? undefined : null
      }
      if (text[close + 1] !== quote) break
    }
    const end = this.#afterBlanks(close + 1)
    if (end >= text.length - 1 && !this.#isEnded) return null
    const inner = text.slice(open + 1, close).replaceAll(quote + quote, quote)
    if (end >= text.length || text[end] === this.#delimiter || isLineEnd(text[end]))
      return { value: inner, end }
    // The quote is plain text unless it encloses only the first words of the cell.
    if (open > at || this.#lineEnd(open) < close) return undefined
    const last = this.#cellEnd(close + 1)
    return { value: inner + text.slice(close + 1, last), end: last }
  }

  #afterBlanks(from: number): number {
    let at = from
    while ((this.#text[at] === ' ' || this.#text[at] === '\t') && this.#text[at] !== this.#delimiter) at++
    return at
  }
}

/** A parsed row, the position of the next row, and the number of lines of the row. */
interface ParsedRow {
  cells: string[]
  end: number
  lines: number
}

const quote = '"'

const isLineEnd = (character: string | undefined) => character === '\n' || character === '\r'

/** Finds a character at increasing positions, scanning each part of the text once. */
class NextPlace {
  readonly #character: string
  #from = 0
  #at = -1

  constructor(character: string) {
    this.#character = character
  }

  reset(): void {
    this.#at = -1
  }

  /** Returns the first position at or after `from`, or the length of the text. */
  after(text: string, from: number): number {
    if (from < this.#from || from > this.#at) {
      const found = text.indexOf(this.#character, from)
      this.#from = from
      this.#at = found < 0 ? text.length : found
    }
    return this.#at
  }
}
