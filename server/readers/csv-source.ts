import { createReadStream } from 'node:fs'
import { Transform, pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import {
  type Mapping,
  type RecordSource,
  UnreadableFileError,
  recordMaxBytes,
} from '../deals/import/record-source.ts'
import type { Encoding } from './encoding.ts'
import { type TableRow, tableSource } from './table-source.ts'
import { type TextFormat, formatName } from './text-format.ts'

/**
 * Returns the records of a CSV file (RFC 4180, UTF-8 by default). The header is in the line `headerRow`,
 * which is detected if not given.
 */
export function csvSource(
  file: CsvFile,
  format: TextFormat = usualFormat,
  { headerRow = null, mapping = {} }: { headerRow?: number | null; mapping?: Mapping } = {},
) {
  const settings = {
    format: formatName(format),
    headerRow,
    ...(format.decimal && { decimal: format.decimal }),
  }
  return tableSource(() => readRows(file, format), settings, mapping) satisfies RecordSource
}

/** A file's path, or a function that opens it for each pass. */
type CsvFile = string | (() => AsyncIterable<Uint8Array>)

const usualFormat: TextFormat = { encoding: 'utf-8', delimiter: ',' }

async function* readRows(file: CsvFile, { encoding, delimiter }: TextFormat): AsyncGenerator<TableRow> {
  // Counted here: the library counts a CRLF in a cell as two lines, and knows where a record ends but not
  // where it starts.
  let linesOfRecords = 0
  const starts: number[] = []
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: recordMaxBytes,
    on_record(cells: string[], { empty_lines: emptyLines }) {
      starts.push(1 + linesOfRecords + emptyLines)
      linesOfRecords += 1 + countLineEnds(cells)
      return cells
    },
  })
  const bytes = typeof file === 'string' ? createReadStream(file) : file()
  if (encoding === 'utf-8') pipeline(bytes, parser, () => {})
  else pipeline(bytes, decoder(encoding), parser, () => {})
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      const line = starts.shift()!
      // A spreadsheet writes an empty row as empty cells.
      if (cells.some((cell) => cell !== '')) yield { line, cells }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new UnreadableFileError(
      `line ${1 + linesOfRecords + Number(error['empty_lines'] ?? 0)}: not CSV as of RFC 4180: ${error.message}`,
    )
  }
}

/** Returns a stream that turns text into UTF-8. */
function decoder(encoding: Encoding): Transform {
  const text = new TextDecoder(encoding)
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, text.decode(chunk, { stream: true })),
    flush: (done) => done(null, text.decode()),
  })
}

function countLineEnds(cells: string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0)
}
