import { open, rm } from 'node:fs/promises'
import { type Fault, sentenceOf, rejectedTitles } from '../records/record-source.ts'
import { byteOrderMark, csvLines } from '../values/csv.ts'

/** Where an import's files are stored: in the data directory, or in the object store. */
export type ImportStorageName = 'disk' | 's3'

/** The parts of an import that describe its stored content. */
export interface FiledImport {
  id: number
  sizeBytes: number
  receivedBytes: number
  /** Offsets of the slices in the object store. */
  offsets: number[]
}

/** An import that a process is checking or importing. */
export interface RunningImport extends FiledImport {
  leaseId: string
  /** Hexadecimal SHA-256 of the content, or null if not yet computed. */
  checksum: string | null
}

/** Local files of a run, which can be read repeatedly and in any order. */
export interface RunFiles {
  contentPath: string
  /** Path of the rows extracted from the content. */
  rowsPath: string
  /**
   * Copies the content to this machine. Calls `check`, which may throw, between slices.
   * @throws ContentMissingError
   */
  fetchContent(check: () => void): Promise<void>
  /** Returns the hexadecimal SHA-256 of the content. */
  readChecksum(): Promise<string>
  /** Begins a new file of rejected rows. */
  openRejected(): Promise<RejectedLines>
  /** Uploads the rejected rows to where every process can read them. */
  keepRejected(): Promise<void>
  /** Removes the temporary files of this run. */
  remove(): Promise<void>
}

/** A stored file of an import. */
export interface StoredUpload {
  id: number
  isRejected: boolean
  remove(): Promise<void>
}

/** Storage of import contents and rejected rows. */
export interface ImportStorage {
  name: ImportStorageName
  /** Stores a slice of the content at `offset`, and drops anything after it. */
  writeSlice(id: number, offset: number, bytes: Uint8Array): Promise<void>
  filesOf(leased: RunningImport): RunFiles
  hasRejected(id: number): Promise<boolean>
  /** Yields the rejected rows as CSV. @throws ContentMissingError */
  readRejected(id: number): AsyncIterable<Uint8Array>
  removeContent(found: FiledImport): Promise<void>
  removeRejected(id: number): Promise<void>
  /** Lists all stored contents and rejected rows. */
  list(): Promise<StoredUpload[]>
  /** Translates an error of a run. Returns a 503 if the local disk failed. */
  runProblem(error: unknown): unknown
}

/** Prefix of the reason for a row that is imported without its unreadable cells. */
export const leftOut = 'Left out: '

/** Writes rejected and partly unreadable rows to a file on disk that can be corrected and imported. */
export interface RejectedLines {
  add(
    line: number,
    faults: Fault[],
    row: { titles: string[]; cells: string[] },
    options?: { isImported: boolean },
  ): void
  /** Flushes the lines to disk if many are pending. */
  settle(): Promise<void>
  close(): Promise<void>
}

const bufferBytes = 64 * 1024

// Large, because a line of three bytes can be rejected with a reason of a hundred bytes.
const rejectedMaxBytes = 256 * 1024 * 1024

/** Starts a new file of rejected rows. Escapes cells that a spreadsheet would interpret as a formula. */
export async function openRejectedLines(path: string): Promise<RejectedLines> {
  // Removed rather than truncated, because a process presumed dead may still write to the previous file.
  await rm(path, { force: true })
  const file = await open(path, 'wx', 0o600)
  let waiting = ''
  let hasHeader = false
  let bytes = 0
  let isFull = false
  const write = async () => {
    const text = waiting
    waiting = ''
    await file.appendFile(text)
  }
  return {
    add(line, faults, { titles, cells }, { isImported } = { isImported: false }) {
      if (isFull) return
      if (!hasHeader) waiting += byteOrderMark + csvLines([[...rejectedTitles, ...titles]])
      hasHeader = true
      const reasons = faults.map(sentenceOf).join('. ')
      const row = csvLines([[line, isImported ? leftOut + reasons : reasons, ...cells]])
      bytes += row.length
      isFull = bytes > rejectedMaxBytes
      waiting += isFull
        ? csvLines([['', 'There are more. Correct these and import the whole file again.']])
        : row
    },
    async settle() {
      if (waiting.length > bufferBytes) await write()
    },
    async close() {
      await write().finally(() => file.close())
    },
  }
}
