import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { ApiError, markedError } from '../errors.ts'
import type { StorageName } from './file.ts'

/** Content to store: bytes, a local path, or a stream. */
export type Content = Buffer | string | AsyncIterable<Uint8Array>

/** Stored content. */
export interface Stored {
  sizeBytes: number
  /** SHA-256 in hexadecimal digits. */
  checksum: string
}

/** A range of bytes, inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/** The name and type in a file's download URL. */
export interface NamedFile {
  id: string
  name: string
  type: string
}

/** Stores contents by key: a file id, or an upload id with a slice number. */
export interface Storage {
  name: StorageName
  /** Stores a content in place of an older one, atomically. */
  put(key: string, content: Content): Promise<Stored>
  /** Deletes the content, if it exists. */
  remove(key: string): Promise<void>
  /** Returns the size in bytes, or null if the key has no content. */
  sizeOf(key: string): Promise<number | null>
  /** Returns the content's age by the storage's clock; null if there is none. */
  ageMs(key: string): Promise<number | null>
  /** Opens a content, or a range of it. @throws ContentMissingError */
  open(key: string, range?: ByteRange): Promise<Readable>
  /** Returns the storage's own URL of the content, valid until `expiresAt` (whole seconds since 1970). */
  urlOf?(file: NamedFile, expiresAt: number): Promise<string>
  /** Returns the URL with the storage's own expiry; null if the key has no content. */
  access?(key: string): Promise<{ url: string; expiresAt: Date } | null>
  /** Yields all keys, in batches. */
  keys(): AsyncIterable<string[]>
  /** Aborts multipart uploads older than this, until `isStopping`. Returns the number. */
  abortUploads?(olderThanMs: number, isStopping: () => boolean): Promise<number>
  /** Returns the free space of its disk in bytes; undefined for storage without a known limit. */
  freeBytes?(): Promise<number>
  /** Returns the reason if the storage is unusable, or null. */
  problem(): Promise<string | null>
}

/** A storage whose contents are local files. */
export interface DiskStorage extends Storage {
  /** Returns the local path of the content. */
  pathOf(key: string): string
  /** Translates read errors: a 503 when the disk fails. */
  readProblem(error: unknown): unknown
}

/** Thrown when there is no content. */
export class ContentMissingError extends markedError('ContentMissingError') {}

/** The storages of this installation. */
export interface Storages {
  disk: DiskStorage
  /** Where new contents go. */
  current: Storage
  /** The import storage of the store; null without a store. */
  imports: Storage | null
  /** Returns the storage with this name. @throws ApiError 503 if it is not configured */
  of(name: StorageName): Storage
}

/** Returns the storages: with a store, new contents go there, and those on disk are still served. */
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

/** Passes bytes on, counting them and computing their SHA-256. */
export class Measuring extends Transform {
  readonly #hash = createHash('sha256')
  #sizeBytes = 0

  override _transform(bytes: Buffer, _encoding: string, done: (error: null, bytes: Buffer) => void): void {
    this.#hash.update(bytes)
    this.#sizeBytes += bytes.length
    done(null, bytes)
  }

  /** Returns the size and checksum of the passed bytes; call once. */
  result(): Stored {
    return { sizeBytes: this.#sizeBytes, checksum: this.#hash.digest('hex') }
  }
}
