import { csvRows, firstRows } from './csv-rows.ts'
import { type TextFile, textOf } from './decode.ts'
import type { FileSource } from './file-source.ts'
import type { TableRow } from './table-row.ts'
import { type Row, tableSource } from './table-source.ts'
import { type TextFormat, formatName, isSeparatorLine } from './text-format.ts'

const usualFormat: TextFormat = { encoding: 'utf-8', delimiter: ',' }

/**
 * Returns the records of a CSV file, by default in UTF-8. The header is in line `headerRow`, or is detected
 * if the line is not given.
 */
export const csvSource = (
  file: TextFile,
  format: TextFormat = usualFormat,
  { headerRow = null }: { headerRow?: number | null } = {},
): FileSource<Row> =>
  tableSource(() => readRows(file, format), {
    format: formatName(format),
    delimiter: format.delimiter,
    headerRow,
  })

async function* readRows(
  file: TextFile,
  { encoding, delimiter, isQuoted = false, isBackslashed = false }: TextFormat,
): AsyncGenerator<TableRow> {
  const text = textOf(file, encoding)
  for await (const row of csvRows(isBackslashed ? unescaped(text) : text, delimiter)) {
    if (row.line === 1 && isSeparatorLine(row.cells)) continue
    const [cell = ''] = row.cells
    const inner = isQuoted && row.cells.length === 1 ? firstRows(cell, delimiter, 1, false)[0] : undefined
    yield inner === undefined ? row : { ...row, cells: inner }
  }
}

/** Converts quotes escaped by a backslash to doubled quotes. */
async function* unescaped(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const text = rest + chunk
    rest = /(?:^|[^\\])(?:\\\\){0,99}\\$/.test(text) ? '\\' : ''
    yield text
      .slice(0, text.length - rest.length)
      .replaceAll(/\\(["\\])/g, (_, sign: string) => (sign === '"' ? '""' : sign))
  }
  yield rest
}
