import type { Cell } from '../records/cell.ts'

/** A table row; numbered by line in a text file. */
export interface TableRow {
  line: number
  cells: Cell[]
  isHidden?: boolean
  /** Whether a sheet marks the row as one of totals. */
  isTotal?: true
  /** The level of the row in the outline of a sheet, if it is below another one. */
  depth?: number
  /** Whether the next row is indented below this one. */
  isParent?: true
  /** Whether monday.com lists the row below an item. */
  isSubitem?: true
  /** Whether a cell of it is struck through. */
  isStruck?: true
  /** Whether the row is longer than a record may be; its cells are left out. */
  isTooLong?: true
  /** Whether the row names the group of the rows below it. */
  isGroup?: true
  /** The only text of the row above the header. */
  above?: string
  /** The cells that were joined, because the delimiter in them was not quoted. */
  joined?: string[]
}
