import papaparse from 'papaparse'

/** Byte order mark that makes spreadsheets recognize a CSV file as UTF-8. */
export const byteOrderMark = '\ufeff'

// Matches text that a spreadsheet would read as a formula, including full-width forms of =, +, -, and @. Text
// that already looks escaped is escaped again, so that parsing restores the original.
const formula = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/**
 * Formats rows as lines of CSV (RFC 4180). Adds an apostrophe before text that a spreadsheet would read as a
 * formula. `withoutEscape` removes the apostrophe.
 */
export const csvLines = (rows: (string | number)[][]): string =>
  rows.length === 0 ? '' : `${papaparse.unparse(rows, { newline: '\r\n', escapeFormulae: formula })}\r\n`

/** Returns the original text of a cell written by `csvLines`. */
export const withoutEscape = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell

/**
 * Formats rows as lines of CSV (RFC 4180) for programs that import a feed. Quotes the columns in `isText`, so
 * that LibreOffice can keep `02134` as text. Adds no apostrophes, because every program would show the
 * apostrophe before `+1 602 555 0100`, and no program that imports a feed evaluates `=1+1`.
 */
export const feedCsvLines = (rows: string[][], isText: readonly boolean[]): string =>
  rows.length === 0
    ? ''
    : `${papaparse.unparse(rows, {
        newline: '\r\n',
        quotes: (value: string, at: number) => value !== '' && isText[at] === true,
      })}\r\n`
