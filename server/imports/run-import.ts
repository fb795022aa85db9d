import type { Database } from '#db/client.ts'
import { oneAtATime } from '../admission/scheduling.ts'
import { ApiError } from '../errors.ts'
import { isMissing } from '../files/disk-storage.ts'
import { ContentMissingError } from '../files/storage.ts'
import { noCounts } from '../records/import-deals.ts'
import { UnreadableFileError, UnsupportedFileError } from '../records/record-source.ts'
import { throughFailover } from '../records/through-failover.ts'
import { ellipsize } from '../values/short-text.ts'
import type { ImportStorage } from './import-storage.ts'
import { type Sample, hasChoice } from './import.ts'
import type { ImportStorages } from './make-storages.ts'
import { ImportFileError, ImportStoppedError, readThrough } from './read-through.ts'
import { type LeasedImport, renewImportLease, type RunOutcome, endImportLease, takeImport } from './store.ts'

/** Checks or imports a file, or continues the work of another process. @throws Error as `runImport` does */
export async function continueImport(
  db: Database,
  storages: ImportStorages,
  id: number,
  signal: AbortSignal,
): Promise<void> {
  const leased = await takeImport(db, id)
  if (leased !== undefined) await runImport(db, storages.of(leased.storage), leased, signal)
}

/**
 * Runs a leased check or import until it is done or aborted by `signal`, and records the outcome. Releases
 * the lease if it ends early, so that the import can be restarted.
 * @throws Error if it fails unexpectedly, or is ended
 */
export async function runImport(
  db: Database,
  storage: ImportStorage,
  leased: LeasedImport,
  signal?: AbortSignal,
): Promise<void> {
  const heartbeat = beginHeartbeat(db, leased)
  const isStopping = () => signal?.aborted === true || heartbeat.isLost()
  const stop = async (outcome: RunOutcome) => {
    await heartbeat.end()
    return throughFailover(() => endImportLease(db, leased, { ...heartbeat.counts, ...outcome }), isStopping)
  }
  const isCheck = leased.state === 'checking'
  const files = storage.filesOf(leased)
  try {
    if (leased.undoes === null)
      await files.fetchContent(() => {
        if (isStopping()) throw new ImportStoppedError()
      })
    const checksum = isCheck && leased.undoes === null ? await files.readChecksum() : null
    const { sample, mapping } = await readThrough({ db, files, leased, isStopping }, heartbeat.counts)
    if (isStopping()) throw new ImportStoppedError()
    const isFile = leased.undoes === null && sample.columnProblem === undefined
    if (isFile && sample.sheetProblem === undefined && isEmpty(sample)) {
      if (!isCheck || !hasChoice(sample.sheets))
        throw new ImportFileError('There are no records in the file.')
      sample.sheetProblem = 'There are no records in this sheet.'
    }
    if (isCheck)
      await stop({
        state: 'checked',
        sample: JSON.stringify(sample),
        ...(checksum && { checksum }),
        ...(mapping && { mapping: JSON.stringify(mapping) }),
      })
    else if (await stop({ state: 'done', finishedAt: new Date() })) await storage.removeContent(leased)
  } catch (error) {
    if (error instanceof ImportFileError || error instanceof UnreadableFileError) {
      if (await stop({ state: 'failed', problem: problemOf(error), finishedAt: new Date() }))
        await storage.removeContent(leased)
      return
    }
    const problem = storageProblem(storage.runProblem(error))
    await stop({ problem })
    if (signal?.aborted || (!(error instanceof ImportStoppedError) && problem === null)) throw error
  } finally {
    await files.remove()
  }
}

const isEmpty = ({ counts, repeatedCount }: Sample) =>
  Object.values(counts).every((count) => count === 0) && repeatedCount === 0

const problemOf = (error: ImportFileError | UnreadableFileError) =>
  error instanceof ImportFileError || error instanceof UnsupportedFileError
    ? error.message
    : `The file cannot be read: ${ellipsize(error.message, 500)}.`

function storageProblem(error: unknown): string | null {
  if (error instanceof ApiError) return `${error.message}.`
  return isMissing(error) || error instanceof ContentMissingError
    ? 'The file no longer exists. Discard it and upload it again.'
    : null
}

const heartbeatMs = 1000

/** Renews the lease with the current counts about once a second, until it is ended or the lease is lost. */
export function beginHeartbeat(db: Database, leased: Pick<LeasedImport, 'id' | 'leaseId'>) {
  const counts = { ...noCounts(), removed: 0 }
  let isLost = false
  let renewing = Promise.resolve()
  const renew = oneAtATime(async () => {
    isLost ||= !(await renewImportLease(db, leased, counts))
  })
  const timer = setInterval(() => {
    // The next renewal makes up for a failed one.
    if (!isLost) renewing = renew().catch(() => {})
  }, heartbeatMs)
  return {
    counts,
    isLost: () => isLost,
    /** Resolves once no renewal is in progress. */
    async end() {
      clearInterval(timer)
      await renewing
    },
  }
}
