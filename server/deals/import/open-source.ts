import { open } from 'node:fs/promises'
import { csvSource } from './csv-source.ts'
import { ndjsonSource } from './ndjson-source.ts'
import type { RecordSource } from './record-source.ts'
import { delimiterOf, encodingOf } from './text-format.ts'

// Enough for blank lines, a header, and some characters beyond ASCII, which tell the encoding.
const startBytes = 64 * 1024

/**
 * Returns the records of the file at `path`: NDJSON if its name or first character says so, otherwise CSV,
 * whose encoding and delimiter are detected.
 */
export async function openSource(path: string, name = path): Promise<RecordSource> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0)
    const bytes = buffer.subarray(0, bytesRead)
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
