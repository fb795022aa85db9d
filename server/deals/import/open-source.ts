import { open } from 'node:fs/promises'
import { csvSource } from './csv-source.ts'
import { ndjsonSource } from './ndjson-source.ts'
import { readXlsx } from './read-xlsx.ts'
import type { RecordSource } from './record-source.ts'
import { delimiterOf, encodingOf } from './text-format.ts'
import { isArchive } from './xlsx.ts'

// Enough for blank lines, a header, and some characters beyond ASCII, which tell the encoding.
const startBytes = 64 * 1024

/**
 * Returns the records of the file at `path`: NDJSON if its name or first character says so, otherwise CSV,
 * whose encoding and delimiter are detected. The rows of an XLSX file are written to `rowsPath` first.
 */
export async function openSource(path: string, rowsPath: string, name = path): Promise<RecordSource> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0)
    const bytes = buffer.subarray(0, bytesRead)
    if (isArchive(bytes)) {
      const sheet = await readXlsx(path, rowsPath)
      return { ...csvSource(rowsPath), format: `XLSX, sheet ${JSON.stringify(sheet)}` }
    }
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
