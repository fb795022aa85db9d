import type { VisibleCell } from './cell.ts'
import type { Fault, ReadCell } from './reason.ts'

/** An unparsed record of a file; `line` is where it starts, from 1. */
export interface SourceItem<Raw> {
  line: number
  /** Its approximate size in bytes, which bounds a batch. */
  size: number
  raw: Raw
}

/** The visible sheets of a workbook, and the one being read. */
export interface Sheets {
  chosen: string
  all: string[]
  /** Other sheets that look as much like a table of deals as the chosen one. */
  alike?: string[]
}

/** The records of a file, which can be read several times; memory does not grow with the file. */
export interface RecordSource<Raw = unknown> {
  items(): AsyncIterable<SourceItem<Raw>>
  /** Returns the id of the record, or null when none can be read. */
  idOf(raw: Raw): bigint | null
  /** Returns whether the record is a table row, whose empty cells are null; absent means never. */
  isTableRow?(raw: Raw): boolean
  /** Returns the bytes of the record if the file contains it as JSON. */
  bytesOf(raw: Raw): Buffer | null
  /**
   * Returns the only version of the deal that a restored record may overwrite, null for none. Without the
   * method, any version.
   */
  versionOf?(raw: Raw): string | null
  /** Returns the titles and cells of the record as a table row. */
  titlesOf(raw: Raw): string[]
  cellsOf(raw: Raw): string[]
  /** Returns the cell that a field of the record was read from. JSON sources lack the method. */
  cellOf?(raw: Raw, field: string): ReadCell | undefined
  /** Returns the record as a JSON value, or its problems. */
  valueOf(raw: Raw): { value: unknown } | { faults: Fault[] }
}

/**
 * The titles of the first columns in a file of rejected rows, which are ignored when it is imported again.
 */
export const rejectedTitles = ['Line', 'Reasons'] as const

/** The title of the only other column of such a file if the rejected rows were JSON. */
export const recordTitle = 'Record'

/** The largest accepted record; a deal takes 4 KB, and a page has 25. */
export const recordMaxBytes = 256 * 1024

/** Thrown when a file cannot be parsed; the message says why. */
export class UnreadableFileError extends Error {}

/** Thrown when a file is of another kind or damaged; the message says in sentences what it is and what to do. */
export class UnsupportedFileError extends UnreadableFileError {}

/** Thrown when no table begins at the header row. */
export class UnreadableHeader extends UnreadableFileError {}

/** A formula cell without a stored result. */
export const uncomputed: VisibleCell = {
  value: '#N/A',
  shown: '#N/A',
  problem: 'is a formula without a result; open the file in a spreadsheet program and save it',
}
