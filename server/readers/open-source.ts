import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import {
  type RecordSource,
  UnreadableFileError,
  UnsupportedFileError,
} from '../deals/import/record-source.ts'
import { csvSource } from './csv-source.ts'
import { fileProblem } from './file-problem.ts'
import { ndjsonSource } from './ndjson-source.ts'
import { readWorkbook } from './read-workbook.ts'
import { sheetSource } from './sheet-source.ts'
import { decimalSignOf, delimiterOf, encodingOf } from './text-format.ts'
import { isArchive } from './xlsx.ts'

// Enough for blank lines, a header and some non-ASCII characters, which reveal the encoding.
const startBytes = 64 * 1024

/**
 * Returns the records of the file at `path`: NDJSON by name or first character, otherwise CSV with detected
 * encoding, delimiter and decimal sign. Rows of an XLSX or ODS sheet, the first unless named, are first
 * stored at `rowsPath`. The header is in `headerRow`, detected if not given.
 * @throws UnreadableFileError if it is of another kind or has no such sheet
 */
export async function openSource(
  path: string,
  rowsPath: string,
  {
    name = path,
    sheet = null,
    headerRow = null,
  }: { name?: string; sheet?: string | null; headerRow?: number | null } = {},
): Promise<RecordSource> {
  const problem = await fileProblem(path, basename(name))
  if (problem !== null) throw new UnsupportedFileError(problem)
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0)
    const bytes = buffer.subarray(0, bytesRead)
    if (isArchive(bytes)) {
      const { kind, sheet: kept } = await readWorkbook(path, rowsPath, sheet)
      const format = `${kind}, sheet ${JSON.stringify(kept.sheets.chosen)}`
      return sheetSource(rowsPath, kept, { format, headerRow })
    }
    if (sheet !== null) throw new UnreadableFileError('only a workbook has sheets')
    const encoding = encodingOf(bytes)
    const start = new TextDecoder(encoding)
      .decode(bytes)
      .replace(/^\uFEFF/, '')
      .trimStart()
    const delimiter = delimiterOf(start)
    if (start !== '' && !'{['.includes(start[0]!) && !name.endsWith('.ndjson'))
      return csvSource(path, { encoding, delimiter, decimal: decimalSignOf(start, delimiter) }, { headerRow })
    if (headerRow !== null) throw new UnreadableFileError('only a table has a header row')
    return ndjsonSource(path)
  } finally {
    await file.close()
  }
}
