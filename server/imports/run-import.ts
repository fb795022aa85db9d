import type { Database } from '#db/client.ts'
import { UnreadableFileError } from '../deals/import/record-source.ts'
import { throughFailover } from '../deals/import/through-failover.ts'
import { ellipsize } from '../deals/shorten.ts'
import { ContentMissingError } from '../files/storage.ts'
import { ApiError } from '../protocol/errors.ts'
import { isMissing } from './files/disk-storage.ts'
import type { ImportStorage } from './files/import-storage.ts'
import { beginHeartbeat } from './heartbeat.ts'
import { type Sample, hasChoice } from './import.ts'
import { ImportFileError, ImportStoppedError, readThrough } from './read-through.ts'
import { type LeasedImport, type RunOutcome, endImportLease } from './store.ts'

// Kept where both instances of this module find it: the process's and the page bundle's.
const holder = globalThis as { partnerDealsImportsStop?: AbortController }
const stopping = (holder.partnerDealsImportsStop ??= new AbortController())

/** Interrupts the running and later checks and imports of this process. */
export const stopImports = () => stopping.abort()

/**
 * Checks or imports what this process has claimed, to its end or until the process stops, and records the
 * outcome. A run that ends early releases its claim, so that it can be restarted: what it has written is then
 * unchanged.
 * @throws Error when it fails unexpectedly; the import counts as interrupted
 */
export async function runImport(
  db: Database,
  storage: ImportStorage,
  claimed: LeasedImport,
  signal = stopping.signal,
): Promise<void> {
  const heartbeat = beginHeartbeat(db, claimed)
  const isStopping = () => signal.aborted || heartbeat.isLost()
  const stop = async (outcome: RunOutcome) => {
    await heartbeat.end()
    return throughFailover(() => endImportLease(db, claimed, { ...heartbeat.counts, ...outcome }), isStopping)
  }
  const isCheck = claimed.state === 'checking'
  const files = storage.filesOf(claimed)
  try {
    if (claimed.undoes === null)
      await files.fetchContent(() => {
        if (isStopping()) throw new ImportStoppedError()
      })
    const checksum = isCheck && claimed.undoes === null ? await files.readChecksum() : null
    const { sample, mapping } = await readThrough({ db, files, claimed, isStopping }, heartbeat.counts)
    if (isStopping()) throw new ImportStoppedError()
    const isFile = claimed.undoes === null && sample.columnProblem === undefined
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
    else if (await stop({ state: 'done', finishedAt: new Date() })) await storage.removeContent(claimed)
  } catch (error) {
    if (error instanceof ImportFileError || error instanceof UnreadableFileError) {
      if (await stop({ state: 'failed', problem: problemOf(error), finishedAt: new Date() }))
        await storage.removeContent(claimed)
      return
    }
    const problem = storageProblem(storage.runProblem(error))
    await stop({ problem })
    if (!(error instanceof ImportStoppedError) && problem === null) throw error
  } finally {
    await files.remove()
  }
}

const isEmpty = ({ counts, repeatedCount }: Sample) =>
  Object.values(counts).every((count) => count === 0) && repeatedCount === 0

/** Returns why the file cannot be imported. */
const problemOf = (error: ImportFileError | UnreadableFileError) =>
  error instanceof ImportFileError
    ? error.message
    : `The file cannot be read: ${ellipsize(error.message, 500)}.`

/** Returns why the disk or the store ended the import, or null. */
function storageProblem(error: unknown): string | null {
  if (error instanceof ApiError) return `${error.message}.`
  return isMissing(error) || error instanceof ContentMissingError
    ? 'The file no longer exists. Discard it and upload it again.'
    : null
}
