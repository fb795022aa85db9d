import { type Readable, Transform } from 'node:stream'
import { ApiError } from '../errors.ts'
import { type StoreFailure, type StoreStep, diskProblem } from './store-problem.ts'

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
