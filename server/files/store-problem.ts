import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { ApiError } from '../errors.ts'
import { freeDiskMinBytes } from './policy.ts'
/** The reason why a store cannot be used: a message for the caller, and the cause for the operator. */
export interface StoreProblem {
  message: string
  cause: string
}

export type StoreStep =
  | 'write'
  | 'read'
  | 'remove'
  | 'look up'
  | 'list'
  | 'abort uploads'
  | 'look for the bucket'
  | 'import'

/** The reason why an operation failed, for the operator. */
export interface StoreFailure {
  /** The bucket and its endpoint, or the directory. */
  store: string
  step: StoreStep
  cause: string
}

export const logFailures =
  (log: { error(fields: object, message: string): void }) =>
  ({ cause, ...where }: StoreFailure): void =>
    log.error({ ...where, problem: cause }, 'file store unusable')

interface StoreError {
  name?: string
  code?: string
  syscall?: string
  $metadata?: { httpStatusCode?: number }
}

/** Advice for the operator, by error code of the store. */
const advice: Record<string, string> = {
  RequestTimeTooSkewed: 'the clock of this machine or of the store is wrong by more than 15 minutes',
  InvalidAccessKeyId: 'the store does not know S3_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'S3_SECRET_ACCESS_KEY or S3_REGION is wrong',
  AuthorizationHeaderMalformed: 'S3_REGION is wrong',
  NoSuchBucket: 'there is no bucket S3_BUCKET',
}

const unusable = 'The file store cannot be used at the moment; try again shortly'

const isFull = (status: number | undefined, name: string) =>
  status === 507 || /^(?:InsufficientStorage|XMinioStorageFull|QuotaExceeded)/.test(name)

/** Names that the SDK uses for responses without an error code. */
const nameless = /^(?:|\d+|(?:Syntax)?Error|Unknown(?:Error)?|S3ServiceException)$/

const lostConnection =
  /^(?:ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/

/** Returns the reason why the store cannot be used, or null if the error has another origin. */
export function storeProblem(error: unknown): StoreProblem | null {
  if (!(error instanceof Error)) return null
  const { name = '', code = '', $metadata } = error as StoreError
  const status = $metadata?.httpStatusCode
  if (isFull(status, name))
    return { message: 'The file store is full', cause: 'the store has no room for another file' }
  const cause = causeOf(status, name, code)
  return cause === null ? null : { message: unusable, cause }
}

/** Advice for the operator, by error code of the file system. */
const diskAdvice: Record<string, string> = {
  EACCES: 'this process may not read or write there',
  EPERM: 'this process may not read or write there',
  EROFS: 'the file system is read-only',
  EIO: 'the disk fails to read or write',
  ENOTDIR: 'part of the path is not a directory',
  EEXIST: 'a file is in its place',
  EISDIR: 'a directory is in its place',
  ELOOP: 'its symbolic links lead in a circle',
  ESTALE: 'the network file system has lost it',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
}

/** Returns the reason why a directory cannot be used, or null if the error has another origin. */
export function diskProblem(error: unknown): StoreProblem | null {
  if (!(error instanceof Error)) return null
  const { code = '', syscall } = error as StoreError
  const isLost = code === 'ENOENT' && syscall === 'mkdir'
  const cause = isLost ? 'it is a symbolic link to nothing' : diskAdvice[code]
  if (cause === undefined) return null
  const isDiskFull = code === 'ENOSPC' || code === 'EDQUOT'
  return {
    message: isDiskFull ? 'The disk of the server is full' : unusable,
    cause: `${cause} (${code})`,
  }
}

function causeOf(status: number | undefined, name: string, code: string): string | null {
  if (advice[name] !== undefined) return advice[name]
  if (status === 403)
    return 'the store rejects the request: the access key, its permissions, the region or the clock is wrong'
  if (status !== undefined) return `the store responds with ${status}${nameless.test(name) ? '' : ` ${name}`}`
  if (lostConnection.test(code)) return `the store cannot be reached (${code})`
  return name === 'TimeoutError' || name === 'AbortError' ? 'the store does not respond in time' : null
}

/** Translates and reports errors of a directory that stores content. */
export interface DirectoryGuard {
  /** Runs work that uses the directory. @throws ApiError 503 if the directory is unusable */
  asking<T>(step: StoreStep, work: () => Promise<T>): Promise<T>
  /** Returns a stream that fails with the same errors as `asking`. */
  reading(source: Readable): Readable
  /** Reports errors of the directory and translates them to a 503. Returns all other errors unchanged. */
  translate(step: StoreStep, error: unknown): unknown
}

/** Returns a guard for a directory. `report` is called with the reason if the directory cannot be used. */
export function guardDirectory(directory: string, report: (failure: StoreFailure) => void): DirectoryGuard {
  function translate(step: StoreStep, error: unknown): unknown {
    const problem = isElsewhere(error, directory) ? null : diskProblem(error)
    if (problem === null) return error
    report({ store: directory, step, cause: problem.cause })
    return new ApiError('SERVICE_UNAVAILABLE', problem.message, { headers: { 'Retry-After': '5' } })
  }
  return {
    translate,
    async asking(step, work) {
      try {
        return await work()
      } catch (error) {
        throw translate(step, error)
      }
    },
    reading(source) {
      const passed = new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) })
      source.once('error', (error) => passed.destroy(translate('read', error) as Error))
      passed.once('close', () => source.destroy())
      return source.pipe(passed)
    },
  }
}

const isElsewhere = (error: unknown, directory: string) =>
  error instanceof Error && 'path' in error && !String(error.path).startsWith(directory)

/** Returns the free space, in bytes, on the disk of a directory that may not exist yet. */
export async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory).catch(() => statfs(dirname(directory)))
  return bavail * bsize
}

/**
 * Checks that the data directory's disk has enough free space left.
 * @throws ApiError 503 if the disk of the data directory would have too little space left
 */
export async function requireFreeDisk(
  { freeBytes }: { freeBytes?(): Promise<number> },
  sizeBytes: number,
): Promise<void> {
  const free = await freeBytes?.()
  if (free !== undefined && free - sizeBytes < freeDiskMinBytes)
    throw new ApiError(
      'SERVICE_UNAVAILABLE',
      'There is too little space left on the disk for more files; ask an operator to make room',
      { headers: { 'Retry-After': '600' } },
    )
}
