import papaparse from 'papaparse'

/** Marks a CSV file as UTF-8 for spreadsheets. */
export const byteOrderMark = '\ufeff'

// Begins a formula in a spreadsheet; the wide forms of =, +, - and @ do so too. Text that begins like one that is escaped
// is escaped as well, so that each can be read as it was.
const formula = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/**
 * Formats rows as lines of CSV (RFC 4180). Text that a spreadsheet would read as a formula begins with an apostrophe, which
 * `withoutEscape` removes.
 */
export const csvLines = (rows: (string | number)[][]): string =>
  rows.length === 0 ? '' : `${papaparse.unparse(rows, { newline: '\r\n', escapeFormulae: formula })}\r\n`

/** Returns the text that `csvLines` has written as this cell. */
export const withoutEscape = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
