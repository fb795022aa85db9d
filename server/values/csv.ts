import papaparse from 'papaparse'

/** Marks a CSV file as UTF-8 for spreadsheets. */
export const byteOrderMark = '\ufeff'

// Starts a formula in a spreadsheet; so do the wide forms of =, +, - and @. Text that already looks escaped
// is escaped again, so that reading it back restores the original.
const formula = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/**
 * Formats rows as lines of CSV (RFC 4180). Prefixes text that a spreadsheet would read as a formula with an
 * apostrophe, which `withoutEscape` removes.
 */
export const csvLines = (rows: (string | number)[][]): string =>
  rows.length === 0 ? '' : `${papaparse.unparse(rows, { newline: '\r\n', escapeFormulae: formula })}\r\n`

/** Returns the text that `csvLines` wrote as this cell. */
export const withoutEscape = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell

/**
 * Formats rows as lines of CSV (RFC 4180) for programs that read a feed. The columns of `isText` are quoted, so that
 * LibreOffice can keep `02134` as text, and otherwise exact: each program would show an apostrophe before
 * `+1 602 555 0100`, and none that reads a feed evaluates `=1+1` in it.
 */
export const feedCsvLines = (rows: string[][], isText: readonly boolean[]): string =>
  rows.length === 0
    ? ''
    : `${papaparse.unparse(rows, {
        newline: '\r\n',
        quotes: (value: string, at: number) => value !== '' && isText[at] === true,
      })}\r\n`
