import type { Cell, RecordSource, Sheets } from '../records/record-source.ts'
import type { ColumnTally } from '../values/column.ts'
import type { DecimalSign } from '../values/number.ts'
import type { SkippedKind } from './skipped-rows.ts'

/**
 * The field of each column, by title, or empty to ignore the column. Columns not in the mapping are mapped by
 * their title.
 */
export type Mapping = Record<string, string>

/** A possible encoding of a text file, and words decoded with it, such as `Núñez, José`. */
export interface EncodingChoice {
  encoding: Encoding
  words: string[]
}

export interface SourceColumn {
  title: string
  /** The first distinct values. */
  examples: string[]
  /** Counts the types of all values in the column. */
  tally: ColumnTally
  /** The first dates of the column, if the title does not determine the field. */
  dates: string[]
  /** Set if the column is hidden in its sheet. */
  hidden?: true
  /** The name of the first cell in a column without a title. */
  untitled?: string
}

export interface HeaderRow {
  /** Row number, or the line number in a text file. */
  row: number
  /** The first rows, any of which may be chosen as the header, with their text. */
  choices: { row: number; text: string }[]
  /** Number of hidden rows below the header. */
  hiddenRows: number
}

/** Rows with cells that were joined at an unquoted delimiter: the number of rows, and the first ones. */
export interface JoinedCells {
  count: number
  rows: { row: number; text: string }[]
}

/** Rows of one kind that are not deals or are struck through: the number of rows, and the first ones. */
export interface SkippedRows extends JoinedCells {
  kind: SkippedKind
}

/** The results of surveying a table. */
export interface Table {
  columns: SourceColumn[]
  joined: JoinedCells | null
  /** Rows that are skipped because they are not deals. */
  skipped: SkippedRows[]
}

/** How to read ambiguous values. Null means to decide by the other values of the column. */
export interface FormatChoice {
  dayFirst: boolean | null
  decimal: DecimalSign | null
}

/** A date that can be read in two ways, and the resulting day in each order of day and month. */
interface OpenDate {
  title: string
  text: string
  days: { monthFirst: string; dayFirst: string }
}

/** A number that can be read in two ways, and the value with each decimal sign. */
interface OpenNumber {
  title: string
  text: string
  values: { point: number; comma: number }
}

/** How ambiguous values of a table are read, with an example for each, or null if there are none. */
export interface OpenValues {
  dates: (OpenDate & { dayFirst: boolean }) | null
  numbers: (OpenNumber & { decimal: DecimalSign }) | null
}

/** A file of records, with its properties. */
export interface FileSource<Raw = unknown> extends RecordSource<Raw> {
  /** The detected format of the file, as shown to people. */
  format?: string
  /** The sheets of a workbook. */
  sheets?: Sheets
  /** The encoding of a text file, if other encodings decode it differently. */
  encoding?: { chosen: Encoding; choices: EncodingChoice[] }
  readHeader?(): Promise<HeaderRow | null>
  /** Surveys the table. Missing for JSON. */
  readTable?(): Promise<Table>
  /** Returns the source with mapped columns, and how ambiguous values are read. */
  mapped?(
    mapping: Mapping,
    choice?: Partial<FormatChoice>,
  ): Promise<{ source: FileSource<Raw>; open: OpenValues }>
}

/** A table row. In a text file, its number is the line number. */
export interface TableRow {
  line: number
  cells: Cell[]
  isHidden?: boolean
  /** Set if the sheet marks the row as a total. */
  isTotal?: true
  /** Outline level of the row, if it is below another row. */
  depth?: number
  /** Set if the next row is indented below this row. */
  isParent?: true
  /** Set if the row is a subitem in an export from monday.com. */
  isSubitem?: true
  /** Set if a cell of the row is struck through. */
  isStruck?: true
  /** Set if the row exceeds the maximum size of a record. The cells are dropped. */
  isTooLong?: true
  /** Set if the row is the heading of a group. */
  isGroup?: true
  /** The text of the row above the header, if the row contains nothing else. */
  above?: string
  /** Cells that were joined because they contained an unquoted delimiter. */
  joined?: string[]
}

/** Encodings of text files and their names, most common first. */
export const encodings = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252',
  macintosh: 'Mac Roman',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16 (big endian)',
  'iso-8859-15': 'ISO 8859-15',
  ibm850: 'DOS (code page 850)',
  ibm437: 'DOS (code page 437)',
  'windows-1250': 'Windows-1250 (Central European)',
  'iso-8859-2': 'ISO 8859-2 (Central European)',
  'windows-1254': 'Windows-1254 (Turkish)',
  'windows-1257': 'Windows-1257 (Baltic)',
  'utf-8-twice': 'UTF-8, encoded twice',
  'utf-8-twice-mac': 'UTF-8, encoded twice by way of Mac Roman',
} as const

export type Encoding = keyof typeof encodings

export const encodingNames = Object.keys(encodings) as [Encoding, ...Encoding[]]
