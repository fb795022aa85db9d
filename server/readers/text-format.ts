import { firstRows } from './csv-rows.ts'
import { type Encoding, encodings } from './encoding.ts'
import { countKnown } from './header-row.ts'

/** Characters that separate the cells of a row, with their names. */
const delimiters = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
  '~': 'tildes',
} as const

export type Delimiter = keyof typeof delimiters

/** The format of a text file of rows. */
export interface TextFormat {
  encoding: Encoding
  delimiter: Delimiter
  /** Whether each row is quoted as a whole, as by a spreadsheet that read the file as one column. */
  isQuoted?: boolean
  /** Whether a quote within a cell follows a backslash, as MySQL, Hive and Spark write it. */
  isBackslashed?: boolean
}

// Tells Excel the delimiter, in the first line of a file.
const separatorLine = /^"?sep=(.)"?\s*$/i

/** Returns whether a row is Excel's line that names the delimiter. */
export const isSeparatorLine = ([first = '', ...rest]: string[]) =>
  /^sep=.?$/i.test(first) && rest.every((cell) => cell === '')

const rowsMax = 100

/**
 * Returns the delimiter of a text: the one that splits most of its first rows into the same number of cells,
 * and names the most fields; by default a comma. The text ends within a row if it is cut off.
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

// In a cell in quotes, neither at its end nor doubled.
const backslashed = /(?:^|[,;\t|~\n])"[^"\r\n]*\\"[^",;\t|~\r\n]/

/** Returns the delimiter of a text, as `delimiterOf`, and how its cells are quoted. */
export function rowFormatOf(text: string, isCutOff = false): Omit<TextFormat, 'encoding'> {
  const outer = delimiterOf(text, isCutOff)
  const rows = firstRows(text, outer, rowsMax, isCutOff)
  const isOneColumn = text.startsWith('"') && rows.every((cells) => cells.length === 1)
  const delimiter = isOneColumn ? delimiterOf(rows.join('\n')) : outer
  const isQuoted = isOneColumn && rows.every(([cell]) => cell!.includes(delimiter))
  if (isQuoted) return { delimiter, isQuoted }
  return { delimiter: outer, ...(backslashed.test(text) && { isBackslashed: true }) }
}

/** Returns whether the columns of a text are only aligned by spaces. */
export function isFixedWidth(text: string): boolean {
  const lines = text.split(/\r?\n/, rowsMax).filter((line) => line.trim() !== '')
  const titles = lines[0]?.trim().split(/\s{2,}/) ?? []
  return titles.length > 2 && countKnown(titles) >= 2 && !lines.some((line) => /[,;\t|]/.test(line))
}

/** Rates how much rows look like a table; a title above it has little weight. */
function scoreOf(rows: string[][]): number {
  const rowsByWidth = new Map<number, number>()
  for (const { length } of rows) if (length > 1) rowsByWidth.set(length, (rowsByWidth.get(length) ?? 0) + 1)
  const evenness = Math.max(0, ...[...rowsByWidth].map(([width, count]) => (width - 1) * count ** 2))
  const known = Math.max(0, ...rows.slice(0, 20).map((cells) => (cells.length > 1 ? countKnown(cells) : 0)))
  return evenness * (1 + known)
}

/** Returns the format in words: `CSV, separated by semicolons, in Windows-1252`. */
export const formatName = ({ encoding, delimiter }: TextFormat) =>
  `CSV, separated by ${delimiters[delimiter]}, in ${encodings[encoding]}`
