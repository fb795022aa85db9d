import { columnIndex } from './xlsx.ts'

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
