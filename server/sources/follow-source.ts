import type { Database } from '#db/client.ts'
import { causeOf } from '../errors.ts'
import type { Storages } from '../files/storage.ts'
import { RetryLaterError } from '../jobs/attempt-job.ts'
import { decryptFor } from '../values/encryption.ts'
import { storable } from '../values/storable.ts'
import { secondMs } from '../values/units.ts'
import { SourceError } from './crm-source.ts'
import type { Pace } from './hubspot/hubspot-fetch.ts'
import { openCrm } from './open-crm.ts'
import type { lateMs } from './policy.ts'
import { runFiles } from './run-files.ts'
import { RunStoppedError, runSource } from './run-source.ts'
import { type LeasedSource, beginRun, endRun, recordFailure } from './run-store.ts'
import { ownerOfSecret } from './secret-owner.ts'

/** Dependencies for reading sources. */
export interface FollowDeps {
  db: Database
  encryptionKey: Buffer
  hubspotUrl: string
  storages: Storages
  /** Command that scans each copied file for viruses, if set. */
  scanCommand?: string | undefined
  log: { warn(fields: object, message: string): void }
  pace?: Pace
  lateMs?: typeof lateMs
}

/**
 * Reads the changes in a source, unless the source is paused or deleted.
 * @throws RetryLaterError if the source fails; RunStoppedError if `signal` ends the run early
 */
export async function followSource(deps: FollowDeps, id: number, signal: AbortSignal): Promise<void> {
  const { db } = deps
  const source = await beginRun(db, id)
  if (source === undefined) return
  try {
    const secret = decryptFor(ownerOfSecret(id), source.secret, deps.encryptionKey)
    const crm = openCrm(source, secret, { ...deps, signal })
    try {
      const filesProblem = await runSource(source, { ...deps, crm, signal })
      await runFiles(source, { ...deps, crm, signal })
      if (filesProblem !== null) throw new SourceError(filesProblem)
    } finally {
      await crm.close()
    }
    await endRun(db, source, source.pollS * secondMs)
  } catch (error) {
    if (signal.aborted) throw error
    // Otherwise an operator has paused or changed the source. A change has sent another job.
    if (!(error instanceof RunStoppedError)) await fail(source, deps, error)
  }
}

async function fail(source: LeasedSource, { db, log }: FollowDeps, error: unknown): Promise<never> {
  const isExplained = error instanceof SourceError
  const problem = isExplained
    ? storable(error.message)
    : `Reading failed: ${storable(causeOf(error), 300).replace(/\.$/, '')}.`
  if (!isExplained)
    log.warn(
      { source: source.id, error: error instanceof Error ? error.stack : String(error) },
      'reading a source failed',
    )
  await recordFailure(db, source, problem)
  const waitMs = isExplained ? (error.retryAfterMs ?? 0) : 0
  throw new RetryLaterError(problem, Math.max(source.pollS * secondMs, waitMs))
}
