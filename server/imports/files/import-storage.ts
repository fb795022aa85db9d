import type { RejectedLines } from './rejected-storage.ts'

/** Where an import's files are stored: in the data directory, or in the object store. */
export type ImportStorageName = 'disk' | 's3'

/** The parts of an import that concern its content. */
export interface FiledImport {
  id: number
  sizeBytes: number
  receivedBytes: number
  /** The offset of each slice in the store. */
  offsets: number[]
}

/** An import that a process checks or imports. */
export interface RunningImport extends FiledImport {
  leaseId: string
  /** Hexadecimal SHA-256 of the content, once known. */
  checksum: string | null
}

/** A run's local files, which are read several times and in any order. */
export interface RunFiles {
  contentPath: string
  /** Where rows extracted from the content are stored. */
  rowsPath: string
  /**
   * Copies the content to this machine; `check` is called in between, and may throw.
   * @throws ContentMissingError
   */
  fetchContent(check: () => void): Promise<void>
  /** Returns the hexadecimal SHA-256 of the content. */
  readChecksum(): Promise<string>
  /** Begins a new file of rejected rows. */
  openRejected(): Promise<RejectedLines>
  /** Stores the rejected rows where every process can find them. */
  keepRejected(): Promise<void>
  /** Removes what only this run needs. */
  remove(): Promise<void>
}

/** A file of an import that is stored. */
export interface StoredUpload {
  id: number
  isRejected: boolean
  remove(): Promise<void>
}

/** Stores the files of imports: contents and rejected rows. */
export interface ImportStorage {
  name: ImportStorageName
  /** Stores the slice of a content that begins at `offset`, dropping anything after it. */
  writeSlice(id: number, offset: number, bytes: Uint8Array): Promise<void>
  filesOf(leased: RunningImport): RunFiles
  hasRejected(id: number): Promise<boolean>
  /** Yields the rejected rows as CSV. @throws ContentMissingError */
  readRejected(id: number): AsyncIterable<Uint8Array>
  /** Removes the content of an import, if it exists. */
  removeContent(found: FiledImport): Promise<void>
  /** Removes the rejected rows of an import, if there are any. */
  removeRejected(id: number): Promise<void>
  /** Returns all contents and rejected rows. */
  list(): Promise<StoredUpload[]>
  /** Translates errors of a run: a 503 when the local disk fails. */
  runProblem(error: unknown): unknown
}
