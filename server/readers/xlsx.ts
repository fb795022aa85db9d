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

/**
 * Returns the target of a link if it is a web page or an e-mail address, or null for a file or a location in
 * the workbook.
 */
export function addressOf(target: string): string | null {
  const address = target.trim()
  return /^(?:https?:\/\/|mailto:)./i.test(address) ? address : null
}

// Matches a string, or a cell reference as in XLSX (`$A$2`) or ODS (`[.A2]`), and the rest.
const part = /\s*(?:"((?:[^"]|"")*)"|(?:\[\.)?\$?([A-Z]{1,3})\$?(\d{1,7})\]?)\s*([&,;)])/y

const start = /^(?:of:)?=?(?:_xlfn\.)?HYPERLINK\(\s*(?:CONCAT(?:ENATE)?(\())?/i

/** Returns whether a formula is a link. */
export const isLinkFormula = (formula: string) => start.test(formula)

/**
 * Returns the URL of a formula such as `HYPERLINK("https://crm.example/"&A2,"Open")`, or null. Resolves only
 * strings and cells in the formula's own row. `textAt` returns the text of a cell by its column.
 */
export function formulaAddress(
  formula: string,
  row: number,
  textAt: (column: number) => string,
): string | null {
  const [head, isJoined] = start.exec(formula) ?? []
  if (head === undefined) return null
  part.lastIndex = head.length
  let address = ''
  for (;;) {
    const [, text, column, cellRow, next] = part.exec(formula) ?? []
    if (next === undefined) return null
    if (text !== undefined) address += text.replaceAll(/""/g, '"')
    else if (Number(cellRow) === row) address += textAt(columnIndex(`${column}1`)!)
    else return null
    if (next !== '&' && (isJoined === undefined || next === ')')) return addressOf(address)
  }
}

// Matches the range of rows that a formula adds up: `D2:D9`, `[.D2:.D9]`.
const summed =
  /^(?:of:)?=?(?:SUM|COUNTA?|AVERAGE|MIN|MAX)\(\[?\.?\$?[A-Z]{1,3}\$?(\d{1,7}):\.?\$?[A-Z]{1,3}\$?(\d{1,7})\]?\)/i
const subtotal = /^(?:of:)?=?(?:SUBTOTAL|(?:_xlfn\.)?AGGREGATE)\(/i

/** Returns whether a formula adds up other rows. */
export function isTotalFormula(formula: string): boolean {
  const [, first, last] = summed.exec(formula) ?? []
  return first !== last || subtotal.test(formula)
}
