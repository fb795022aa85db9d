import type { Cell } from '../records/cell.ts'

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
