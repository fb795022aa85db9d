/** Returns whether a file that starts with these bytes may be a workbook, which is a ZIP archive. */
export const isArchive = (start: Buffer) => start.subarray(0, 4).toString('latin1') === 'PK\x03\x04'

/** Returns the column index of a cell such as `AB12`, from 0, or null if it is not a reference. */
export function columnIndex(reference: string): number | null {
  const letters = /^([A-Z]{1,3})\d{1,7}$/.exec(reference)?.[1]
  if (letters === undefined) return null
  return [...letters].reduce((index, letter) => 26 * index + letter.charCodeAt(0) - 64, 0) - 1
}

/** Cells of one column that are displayed as one; rows count from 1. */
export interface TallCell {
  column: number
  top: number
  bottom: number
}

/** Returns the first column of merged cells such as `D5:E6`, or null when they span one row. */
export function tallCell(reference: string): TallCell | null {
  const [first = '', last = ''] = reference.split(':')
  const column = columnIndex(first)
  const [top, bottom] = [first, last].map((name) => Number(/\d{1,7}$/.exec(name)?.[0])) as [number, number]
  return column !== null && bottom > top ? { column, top, bottom } : null
}

/** Returns a text without the escapes of characters that XML does not allow, such as `_x000D_`. */
export const unescapeText = (text: string) =>
  text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
