import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { UnreadableFileError, UnsupportedFileError } from '../records/record-source.ts'
import { csvSource, isFixedWidth, rowFormatOf } from './csv-rows.ts'
import { decoderOf } from './decode.ts'
import type { Encoding } from './encoding.ts'
import { fileProblem } from './file-problem.ts'
import type { FileSource } from './file-source.ts'
import { findEncoding } from './find-encoding.ts'
import { jsonFormOf, jsonSource, jsonTable } from './json-source.ts'
import { readWorkbook } from './read-workbook.ts'
import { sheetSource } from './sheet-source.ts'
import { isArchive } from './xlsx.ts'

// Number of bytes used to detect the delimiter. Enough for blank lines, a header and some rows.
const startBytes = 64 * 1024

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
  const wrong = await fileProblem(path, basename(name))
  if (wrong !== null) throw new UnsupportedFileError(wrong)
  const start = await readStart(path)
  if (isArchive(start)) {
    const { kind, sheet: stored } = await readWorkbook(path, rowsPath, sheet)
    const format = `${kind}, sheet ${JSON.stringify(stored.sheets.chosen)}`
    return sheetSource(rowsPath, stored, { format, headerRow }) as FileSource
  }
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

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
