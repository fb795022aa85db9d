import { open } from 'node:fs/promises'
import { csvSource } from './csv-source.ts'
import { ndjsonSource } from './ndjson-source.ts'
import type { RecordSource } from './record-source.ts'

// Enough for a byte order mark and blank lines before the first character that tells.
const startBytes = 4096

/**
 * Returns the records of the file at `path`: NDJSON if its name or first character says so, otherwise CSV.
 */
export async function openSource(path: string, name = path): Promise<RecordSource> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0)
    const start = buffer
      .toString('utf8', 0, bytesRead)
      .replace(/^\uFEFF/, '')
      .trimStart()
    return start === '' || '{['.includes(start[0]!) || name.endsWith('.ndjson')
      ? ndjsonSource(path)
      : csvSource(path)
  } finally {
    await file.close()
  }
}
