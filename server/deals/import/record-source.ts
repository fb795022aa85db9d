import type { ShownCell } from './cell.ts'
import type { Fault, ReadCell } from './reason.ts'

/** An unparsed record of a file; `line` is where it starts, from 1. */
export interface SourceItem<Raw> {
  line: number
  /** Its approximate size in bytes, which bounds a batch. */
  size: number
  raw: Raw
}

/** The fields that columns are read as, by their titles; an empty one is ignored. Others are read by their title. */
export type Mapping = Record<string, string>

/** A column of a file, with values of its first rows. */
export interface SourceColumn {
  title: string
  examples: string[]
  /** Its dates, of more rows. */
  dates: string[]
}

/** The sheets of a workbook that are not hidden, and the one that is read. */
export interface Sheets {
  chosen: string
  all: string[]
}

/** The row of a file that has the titles of the columns. */
export interface HeaderRow {
  /** Row number; in a text file, the line number. */
  row: number
  /** The first rows, which may have the titles instead, with their texts. */
  choices: { row: number; text: string }[]
  /** The number of hidden rows below. */
  hiddenRows: number
}

/** The records of a file, which can be read several times; memory does not grow with the file. */
export interface RecordSource<Raw = unknown> {
  /** How the file is written, in words, if that was detected. */
  format?: string
  /** The sheets, if the file is a workbook. */
  sheets?: Sheets
  /** Returns the row with the titles; null when the file has none. */
  readHeader?(): Promise<HeaderRow | null>
  /** Returns the columns of the file; of a file without columns, none. */
  readColumns?(): Promise<SourceColumn[]>
  /** Returns the source that reads columns as these fields, and dates with slashes with the day first or the month. */
  mapped?(mapping: Mapping, dayFirst?: boolean): RecordSource<Raw>
  items(): AsyncIterable<SourceItem<Raw>>
  /** Returns the id of the record, or null when none can be read. */
  idOf(raw: Raw): bigint | null
  /** Returns whether the record is a table row, whose empty cells are null; absent means none is. */
  isTableRow?(raw: Raw): boolean
  /** Returns the bytes of the record if the file holds it as JSON. */
  bytesOf(raw: Raw): Buffer | null
  /**
   * Returns the version of the only deal that the record, a former one, may overwrite, null for none; any, if there is no
   * method.
   */
  versionOf?(raw: Raw): string | null
  /** Returns the titles and the cells of the record as a row of a table. */
  titlesOf(raw: Raw): string[]
  cellsOf(raw: Raw): string[]
  /** Returns the cell that a field of the record is read from; there is none in JSON, and then no method. */
  cellOf?(raw: Raw, field: string): ReadCell | undefined
  /** Returns the record as a JSON value, or its problems. */
  valueOf(raw: Raw): { value: unknown } | { faults: Fault[] }
}

/** The titles of the first columns of a file of rejected rows, which are ignored when it is imported again. */
export const rejectedTitles = ['Line', 'Reasons'] as const

/** The title of the only further column of such a file if the rows were no rows of a table, but JSON. */
export const recordTitle = 'Record'

/** The largest record that is read; a deal takes 4 KB, and a page has 25. */
export const recordMaxBytes = 256 * 1024

/** Thrown when a file cannot be parsed; the message says why. */
export class UnreadableFileError extends Error {}

/** Thrown when no table begins at the row that has the titles. */
export class UnreadableHeader extends UnreadableFileError {}

/** A formula cell without a stored result. */
export const uncomputed: ShownCell = {
  value: '#N/A',
  shown: '#N/A',
  problem: 'is a formula without a result; open the file in a spreadsheet program and save it',
}

/** Returns the sheet with this name, by default the first one. @throws UnreadableFileError when there is none */
export function chooseSheet(all: string[], wanted: string | null): Sheets & { index: number } {
  if (all.length === 0) throw new UnreadableFileError('the workbook has no visible sheet')
  const index = wanted === null ? 0 : all.indexOf(wanted)
  if (index < 0)
    throw new UnreadableFileError(
      `the workbook has no sheet ${JSON.stringify(wanted)}; it has ${all.map((name) => JSON.stringify(name)).join(', ')}`,
    )
  return { chosen: all[index]!, index, all }
}
