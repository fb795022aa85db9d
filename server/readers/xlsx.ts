/** Returns whether a file that starts with these bytes may be a workbook, which is a ZIP archive. */
export const isArchive = (start: Buffer) => start.subarray(0, 4).toString('latin1') === 'PK\x03\x04'

/**
 * Returns the index (from 0) of the column of a cell such as `AB12`, or null if the text is not a cell
 * reference.
 */
export function columnIndex(reference: string): number | null {
  const letters = /^([A-Z]{1,3})\d{1,7}$/.exec(reference)?.[1]
  if (letters === undefined) return null
  return [...letters].reduce((index, letter) => 26 * index + letter.charCodeAt(0) - 64, 0) - 1
}

/** A range of cells. Columns are counted from 0, rows from 1. */
export interface CellRange {
  left: number
  right: number
  top: number
  bottom: number
}

/** Returns the range of a reference such as `D5:E6` or `$D$5`, or null if the text is not a reference. */
export function cellRange(reference: string): CellRange | null {
  const [first = '', last = first, ...rest] = reference.replaceAll('$', '').split(':')
  const [left, right] = [columnIndex(first), columnIndex(last)]
  if (left === null || right === null || rest.length > 0) return null
  const [top, bottom] = [rowOf(first), rowOf(last)]
  return bottom >= top && right >= left && top > 0 ? { left, right, top, bottom } : null
}

const rowOf = (reference: string) => Number(/\d{1,7}$/.exec(reference)![0])

/** Merged cells in one column. Rows are counted from 1. */
export interface TallCell {
  column: number
  top: number
  bottom: number
}

/** Returns the first column of merged cells such as `D5:E6`, or null if they span only one row. */
export function tallCell(reference: string): TallCell | null {
  const range = cellRange(reference)
  if (range === null || range.bottom === range.top) return null
  return { column: range.left, top: range.top, bottom: range.bottom }
}

/** Decodes escapes such as `_x000D_` for characters that XML does not allow. */
export const unescapeText = (text: string) =>
  text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
