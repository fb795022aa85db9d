import { basename } from 'node:path'
import { UnreadableFileError, UnsupportedFileError } from '../records/record-source.ts'
import { csvSource, isFixedWidth, rowFormatOf } from './csv-rows.ts'
import { decoderOf } from './decode.ts'
import { fileProblem, readStart, startBytes } from './file-problem.ts'
import type { Encoding, FileSource } from './file-source.ts'
import { findEncoding } from './find-encoding.ts'
import { jsonFormOf, jsonSource, jsonTable } from './json-source.ts'
import { readOds } from './read-ods.ts'
import { Parts, isArchive } from './read-parts.ts'
import { readXlsx } from './read-xlsx.ts'
import { SheetRows, sheetSource } from './sheet-source.ts'
import type { Row } from './table-source.ts'

/** Options for reading a file. Options that are null or missing are detected. */
interface ReadOptions {
  name?: string
  sheet?: string | null
  headerRow?: number | null
  encoding?: Encoding | null
}

/**
 * Detects the format of the file at `path` and returns its records. Rows of an XLSX or ODS sheet are first
 * stored at `rowsPath`.
 * @throws UnreadableFileError if it is of another kind or has no such sheet
 */
export async function openSource(
  path: string,
  rowsPath: string,
  { name = path, sheet = null, headerRow = null, encoding = null }: ReadOptions = {},
): Promise<FileSource> {
  const start = await readStart(path)
  const wrong = await fileProblem(path, basename(name), start)
  if (wrong !== null) throw new UnsupportedFileError(wrong)
  if (isArchive(start)) return (await readWorkbook(path, rowsPath, sheet, headerRow)) as FileSource
  if (sheet !== null) throw new UnreadableFileError('only a workbook has sheets')
  const found = await findEncoding(path)
  const chosen = encoding ?? found.encoding
  const choices = found.choices && { encoding: { chosen, choices: found.choices } }
  const text = decoderOf(chosen)(start).trimStart()
  const form = jsonFormOf(text)
  if (text !== '' && form === null && !name.endsWith('.ndjson')) {
    if (isFixedWidth(text)) throw new UnreadableFileError(fixedWidth)
    const format = { encoding: chosen, ...rowFormatOf(text, start.length === startBytes) }
    return { ...csvSource(path, format, { headerRow }), ...choices } as FileSource
  }
  if (headerRow !== null) throw new UnreadableFileError('only a table has a header row')
  const records = jsonSource(path, chosen, form ?? 'lines')
  return { ...((await jsonTable(records)) ?? records), ...choices } as FileSource
}

const fixedWidth =
  'its columns are separated by spaces; open it in Excel with Data > From Text/CSV, save it as CSV, and import that'

/**
 * Stores the rows of an XLSX or ODS sheet at `rowsPath`, and returns its records: the sheet with this name,
 * or else the one that most looks like a table of deals. Memory grows only with the shared strings, which are
 * bounded, not with the sheet.
 */
function readWorkbook(
  path: string,
  rowsPath: string,
  name: string | null,
  headerRow: number | null,
): Promise<FileSource<Row>> {
  return Parts.read(path, async (parts) => {
    const isOds = parts.has('content.xml')
    const rows = new SheetRows(rowsPath)
    const sheet = await (isOds ? readOds : readXlsx)(parts, rows, name).finally(() => rows.end())
    const format = `${isOds ? 'ODS' : 'XLSX'}, sheet ${JSON.stringify(sheet.sheets.chosen)}`
    return sheetSource(rowsPath, { ...sheet, hidden: rows.hidden }, { format, headerRow })
  })
}
