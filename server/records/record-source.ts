import type { VisibleCell } from './cell.ts'
import type { Fault, ReadCell } from './reason.ts'

/** An unparsed record of a file. `line` is the line where the record starts, counted from 1. */
export interface SourceItem<Raw> {
  line: number
  /** Approximate size in bytes, used to limit batches. */
  size: number
  raw: Raw
}

/** The visible sheets of a workbook, and the sheet that is read. */
export interface Sheets {
  chosen: string
  all: string[]
  /** Other sheets that look as much like a table of deals as the chosen sheet. */
  alike?: string[]
}

/** The records of a file. They can be read several times, and memory does not grow with the file. */
export interface RecordSource<Raw = unknown> {
  items(): AsyncIterable<SourceItem<Raw>>
  /** Returns the id of the record, or null if there is no readable id. */
  idOf(raw: Raw): bigint | null
  /**
   * Returns whether the record is a table row, in which empty cells are null. If the method is missing, no
   * record is.
   */
  isTableRow?(raw: Raw): boolean
  /** Returns the bytes of the record if the file contains it as JSON. */
  bytesOf(raw: Raw): Buffer | null
  /**
   * Returns the only version of the deal that a restored record may overwrite, or null for no version. If the
   * method is missing, any version may be overwritten.
   */
  versionOf?(raw: Raw): string | null
  /** Returns the titles and cells of the record as a table row. */
  titlesOf(raw: Raw): string[]
  cellsOf(raw: Raw): string[]
  /** Returns the cell from which a field of the record was read. Missing for JSON. */
  cellOf?(raw: Raw, field: string): ReadCell | undefined
  /** Returns the record as a JSON value, or its problems. */
  valueOf(raw: Raw): { value: unknown } | { faults: Fault[] }
}

/**
 * Titles of the first columns in a file of rejected rows. These columns are ignored when the file is imported
 * again.
 */
export const rejectedTitles = ['Line', 'Reasons'] as const

/** The title of the remaining column in such a file if the rejected records were JSON. */
export const recordTitle = 'Record'

/** Maximum size of a record. A deal takes 4 KB, and a page contains 25 deals. */
export const recordMaxBytes = 256 * 1024

/** Thrown if a file cannot be parsed. The message contains the reason. */
export class UnreadableFileError extends Error {}

/**
 * Thrown if a file has an unsupported format or is damaged. The message explains in sentences what the file
 * is and what to do.
 */
export class UnsupportedFileError extends UnreadableFileError {}

/** Thrown if no table begins at the header row. */
export class UnreadableHeader extends UnreadableFileError {}

/** A formula cell with no stored result. */
export const uncomputed: VisibleCell = {
  value: '#N/A',
  shown: '#N/A',
  problem: 'is a formula without a result; open the file in a spreadsheet program and save it',
}
