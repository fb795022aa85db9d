import { firstRows } from './csv-rows.ts'
import { type Encoding, encodings } from './encoding.ts'
import { countKnown } from './header-row.ts'

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

// Excel reads the delimiter from a first line like this.
const separatorLine = /^"?sep=(.)"?\s*$/i

/** Returns whether a row is the line that tells Excel the delimiter. */
export const isSeparatorLine = ([first = '', ...rest]: string[]) =>
  /^sep=.?$/i.test(first) && rest.every((cell) => cell === '')

const rowsMax = 100

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

// Matches an escaped quote within a quoted cell.
const backslashed = /(?:^|[,;\t|~\n])"[^"\r\n]*\\"[^",;\t|~\r\n]/

/** Returns the delimiter of a text as `delimiterOf` does, and how its cells are quoted. */
export function rowFormatOf(text: string, isCutOff = false): Omit<TextFormat, 'encoding'> {
  const outer = delimiterOf(text, isCutOff)
  const rows = firstRows(text, outer, rowsMax, isCutOff)
  const isOneColumn = text.startsWith('"') && rows.every((cells) => cells.length === 1)
  const delimiter = isOneColumn ? delimiterOf(rows.join('\n')) : outer
  const isQuoted = isOneColumn && rows.every(([cell]) => cell!.includes(delimiter))
  if (isQuoted) return { delimiter, isQuoted }
  return { delimiter: outer, ...(backslashed.test(text) && { isBackslashed: true }) }
}

/** Returns whether the columns of a text are aligned by spaces with no delimiter. */
export function isFixedWidth(text: string): boolean {
  const lines = text.split(/\r?\n/, rowsMax).filter((line) => line.trim() !== '')
  const titles = lines[0]?.trim().split(/\s{2,}/) ?? []
  return titles.length > 2 && countKnown(titles) >= 2 && !lines.some((line) => /[,;\t|]/.test(line))
}

/** Rates how much the rows look like a table. A single-cell title above the table has little effect. */
function scoreOf(rows: string[][]): number {
  const rowsByWidth = new Map<number, number>()
  for (const { length } of rows) if (length > 1) rowsByWidth.set(length, (rowsByWidth.get(length) ?? 0) + 1)
  const evenness = Math.max(0, ...[...rowsByWidth].map(([width, count]) => (width - 1) * count ** 2))
  const known = Math.max(0, ...rows.slice(0, 20).map((cells) => (cells.length > 1 ? countKnown(cells) : 0)))
  return evenness * (1 + known)
}

/** Describes the format: `CSV, separated by semicolons, in Windows-1252`. */
export const formatName = ({ encoding, delimiter }: TextFormat) =>
  `CSV, separated by ${delimiters[delimiter]}, in ${encodings[encoding]}`
