import type { RecordSource, Sheets } from '../records/record-source.ts'
import type { ColumnTally } from '../values/column.ts'
import type { DecimalSign } from '../values/number.ts'
import type { Encoding } from './encoding.ts'
import type { SkippedKind } from './skipped-rows.ts'

/**
 * The fields that columns map to, by title; an empty one is ignored. Other columns are mapped by their title.
 */
export type Mapping = Record<string, string>

/** An encoding that a text file may have, with words as it reads them: `Núñez, José`. */
export interface EncodingChoice {
  encoding: Encoding
  words: string[]
}

/** A column of a file. */
export interface SourceColumn {
  title: string
  /** Its first different values. */
  examples: string[]
  /** The kinds of the column's values, from all rows. */
  tally: ColumnTally
  /** Its first dates, if its title leaves open which field it is. */
  dates: string[]
  /** Whether the column is hidden in its sheet. */
  hidden?: true
  /** The first cell of a column without a title. */
  untitled?: string
}

/** The header row of a file. */
export interface HeaderRow {
  /** Row number; in a text file, the line number. */
  row: number
  /** The first rows, which may be the header instead, with their text. */
  choices: { row: number; text: string }[]
  /** The number of hidden rows below. */
  hiddenRows: number
}

/** Rows with cells joined at an unquoted delimiter: their number and the first few. */
export interface JoinedCells {
  count: number
  rows: { row: number; text: string }[]
}

/** Rows of one kind that are not deals or are struck through: their number and the first few. */
export interface SkippedRows extends JoinedCells {
  kind: SkippedKind
}

/** The findings about a table. */
export interface Table {
  columns: SourceColumn[]
  joined: JoinedCells | null
  /** Rows that are not deals. */
  skipped: SkippedRows[]
}

/** How ambiguous values are read; null: as the other values of their column suggest. */
export interface FormatChoice {
  dayFirst: boolean | null
  decimal: DecimalSign | null
}

/** A date that can be read in two ways, and its day with either the month or the day first. */
interface OpenDate {
  title: string
  text: string
  days: { monthFirst: string; dayFirst: string }
}

/** A number that can be read in two ways, and its value with either decimal sign. */
interface OpenNumber {
  title: string
  text: string
  values: { point: number; comma: number }
}

/** How a table's open values are read, with an example each; null without such values. */
export interface OpenValues {
  dates: (OpenDate & { dayFirst: boolean }) | null
  numbers: (OpenNumber & { decimal: DecimalSign }) | null
}

/** The records of a file. */
export interface FileSource<Raw = unknown> extends RecordSource<Raw> {
  /** The format of the file in words, if detected. */
  format?: string
  /** The sheets, if the file is a workbook. */
  sheets?: Sheets
  /** The encoding of a text file, if others read it differently. */
  encoding?: { chosen: Encoding; choices: EncodingChoice[] }
  /** Returns the header row, or null without one. */
  readHeader?(): Promise<HeaderRow | null>
  /** Surveys the table; absent for JSON. */
  readTable?(): Promise<Table>
  /** Returns the source with its columns mapped, and how ambiguous values are read. */
  mapped?(
    mapping: Mapping,
    choice?: Partial<FormatChoice>,
  ): Promise<{ source: FileSource<Raw>; open: OpenValues }>
}
