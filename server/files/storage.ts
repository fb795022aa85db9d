import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { ApiError, markedError } from '../errors.ts'
import type { StorageName } from './file.ts'

/** Content to store: bytes, the path of a local file, or a stream. */
export type Content = Buffer | string | AsyncIterable<Uint8Array>

export interface Stored {
  sizeBytes: number
  /** Hexadecimal SHA-256. */
  checksum: string
}

/** A range of bytes; both ends are inclusive. */
export interface ByteRange {
  start: number
  end: number
}

export interface NamedFile {
  id: string
  name: string
  type: string
}

/** Stores content by key. A key is a file ID, or an upload ID with the number of a slice. */
export interface Storage {
  name: StorageName
  /** Stores content atomically, replacing earlier content with the same key. */
  put(key: string, content: Content): Promise<Stored>
  /** Deletes the content if there is any. */
  remove(key: string): Promise<void>
  /** Returns the size of the content in bytes, or null if there is no content. */
  sizeOf(key: string): Promise<number | null>
  /** Returns the age of the content by the storage's clock, or null if there is no content. */
  ageMs(key: string): Promise<number | null>
  /** Opens the content, or a range of it. @throws ContentMissingError */
  open(key: string, range?: ByteRange): Promise<Readable>
  /** Returns the storage's own URL for the content, valid until `expiresAt` (whole seconds since 1970). */
  urlOf?(file: NamedFile, expiresAt: number): Promise<string>
  /** Returns a URL with the expiry that the storage chose, or null if there is no content. */
  access?(key: string): Promise<{ url: string; expiresAt: Date } | null>
  /** Yields all keys, in batches. */
  keys(): AsyncIterable<string[]>
  /**
   * Aborts multipart uploads older than this, until `isStopping` returns true. Returns the number of aborted
   * uploads.
   */
  abortUploads?(olderThanMs: number, isStopping: () => boolean): Promise<number>
  /** Returns the free space in bytes. Undefined for storages without a known limit. */
  freeBytes?(): Promise<number>
  /** Returns the reason why the storage cannot be used, or null. */
  problem(): Promise<string | null>
}

/** A storage that keeps content in local files. */
export interface DiskStorage extends Storage {
  /** Returns the path of the local file with this content. */
  pathOf(key: string): string
  /** Translates an error from reading a file; a disk error becomes a 503. */
  readProblem(error: unknown): unknown
}

/** Thrown if there is no content with this key. */
export class ContentMissingError extends markedError('ContentMissingError') {}

export interface Storages {
  disk: DiskStorage
  /** The storage for new content. */
  current: Storage
  /** The store's part for imports; null if no store is configured. */
  imports: Storage | null
  /** Returns the storage with this name. @throws ApiError 503 if it is not configured */
  of(name: StorageName): Storage
}

/**
 * Returns all storages. If a store is configured, new content goes there, and older content on disk can still
 * be read.
 */
export function storagesOf(
  disk: DiskStorage,
  store: Storage | null,
  { crm = null, imports = null }: { crm?: Storage | null; imports?: Storage | null } = {},
): Storages {
  return {
    disk,
    current: store ?? disk,
    imports,
    of(name) {
      if (name === 'disk') return disk
      if (name === 'crm' && crm !== null) return crm
      if (store === null)
        throw new ApiError('SERVICE_UNAVAILABLE', 'The file is in an object store that is not configured')
      return store
    },
  }
}

export class Measuring extends Transform {
  readonly #hash = createHash('sha256')
  #sizeBytes = 0

  override _transform(bytes: Buffer, _encoding: string, done: (error: null, bytes: Buffer) => void): void {
    this.#hash.update(bytes)
    this.#sizeBytes += bytes.length
    done(null, bytes)
  }

  /** Returns the size and checksum of all bytes that were passed through. Must be called only once. */
  result(): Stored {
    return { sizeBytes: this.#sizeBytes, checksum: this.#hash.digest('hex') }
  }
}

/** Thrown if content does not have the expected length. */
export class SizeMismatchError extends Error {}

/**
 * Yields content that must have this size. Fails before yielding more bytes than that, and at the end if
 * there were fewer.
 * @throws SizeMismatchError
 */
export async function* exactly(
  content: AsyncIterable<Uint8Array>,
  sizeBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > sizeBytes) throw new SizeMismatchError(`More than the announced ${sizeBytes} bytes arrived.`)
    yield chunk
  }
  if (bytes < sizeBytes) throw new SizeMismatchError(`Of ${sizeBytes} bytes ${bytes} arrived.`)
}
