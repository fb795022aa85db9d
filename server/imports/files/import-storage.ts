import type { RejectedLines } from './rejected-storage.ts'

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
  /** Removes the content of an import, if it exists. */
  removeContent(found: FiledImport): Promise<void>
  /** Removes the rejected rows of an import, if any. */
  removeRejected(id: number): Promise<void>
  /** Lists all stored contents and rejected rows. */
  list(): Promise<StoredUpload[]>
  /** Translates an error of a run. Returns a 503 if the local disk failed. */
  runProblem(error: unknown): unknown
}
