import { open } from 'node:fs/promises'
import { csvSource } from './csv-source.ts'
import { ndjsonSource } from './ndjson-source.ts'
import { readXlsx } from './read-xlsx.ts'
import { type RecordSource, UnreadableFile } from './record-source.ts'
import { delimiterOf, encodingOf } from './text-format.ts'
import { isArchive } from './xlsx.ts'

// Enough for blank lines, a header, and some characters beyond ASCII, which tell the encoding.
const startBytes = 64 * 1024

/**
 * Returns the records of the file at `path`: NDJSON if its name or first character says so, otherwise CSV,
 * whose encoding and delimiter are detected. The rows of an XLSX file, of its first sheet unless one is named, are written
 * to `rowsPath` first. @throws UnreadableFile when it has no such sheet
 */
export async function openSource(
  path: string,
  rowsPath: string,
  { name = path, sheet = null }: { name?: string; sheet?: string | null } = {},
): Promise<RecordSource> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0)
    const bytes = buffer.subarray(0, bytesRead)
    if (isArchive(bytes)) {
      const sheets = await readXlsx(path, rowsPath, sheet)
      return { ...csvSource(rowsPath), format: `XLSX, sheet ${JSON.stringify(sheets.chosen)}`, sheets }
    }
    if (sheet !== null) throw new UnreadableFile('only a workbook has sheets')
    const encoding = encodingOf(bytes)
    const start = new TextDecoder(encoding)
      .decode(bytes)
      .replace(/^\uFEFF/, '')
      .trimStart()
    return start === '' || '{['.includes(start[0]!) || name.endsWith('.ndjson')
      ? ndjsonSource(path)
      : csvSource(path, { encoding, delimiter: delimiterOf(start) })
  } finally {
    await file.close()
  }
}
