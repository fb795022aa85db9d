import type { Database } from '#db/client.ts'
import type { Storages } from '../files/storage.ts'
import { decryptFor } from '../protocol/encryption.ts'
import { causeOf, errorName } from '../protocol/errors.ts'
import { holdLease } from '../protocol/held-lease.ts'
import { oneAtATime } from '../protocol/one-at-a-time.ts'
import { SourceError } from './crm-source.ts'
import { retryDelayMs } from './cursor.ts'
import type { Pace } from './hubspot/hubspot-fetch.ts'
import {
  type LeasedSource,
  keepLease,
  leaseDueSource,
  releaseDone,
  releaseFailed,
  releaseUnfinished,
} from './lease-store.ts'
import { openCrm } from './open-crm.ts'
import { type lateMs, sourceLeaseMs } from './policy.ts'
import { runFiles } from './run-files.ts'
import { RunStoppedError, runSource } from './run-source.ts'
import { ownerOfSecret } from './secret-owner.ts'

/** The dependencies of following sources. */
export interface FollowerDeps {
  db: Database
  encryptionKey: Buffer
  hubspotUrl: string
  storages: Storages
  /** The command that scans each copied file, if any. */
  scanCommand?: string | undefined
  log: { warn(fields: object, message: string): void }
  pace?: Pace
  lateMs?: typeof lateMs
  /** Lease duration without a heartbeat. */
  lease?: number
  /** How often to check for a due source. */
  everyMs?: number
}

/** Maximum sources read concurrently per process. */
const atOnceMax = 3

/** Reads due sources, each by one process at a time. */
export function startFollower(deps: FollowerDeps): { stop(): Promise<void> } {
  const { db, log, lease = sourceLeaseMs, everyMs = 2000 } = deps
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let looking = Promise.resolve()

  const look = oneAtATime(async () => {
    while (running.size < atOnceMax && !stopping.signal.aborted) {
      const leased = await leaseDueSource(db, lease)
      if (leased === undefined) return
      const run = runLeased(leased, deps, stopping.signal)
        .catch((error: unknown) => log.warn({ error: errorName(error) }, 'source not released'))
        .finally(() => running.delete(run))
      running.add(run)
    }
  })

  const timer = setInterval(() => {
    // A database outage is handled at the next check.
    looking = look().catch(() => {})
  }, everyMs)
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await looking
      await Promise.all(running)
    },
  }
}

/** Runs a leased source while its heartbeats last, and releases it. */
export async function runLeased(
  leased: LeasedSource,
  deps: FollowerDeps,
  stopping: AbortSignal,
): Promise<void> {
  const { db, lease = sourceLeaseMs } = deps
  const held = holdLease(lease / 3, () => keepLease(db, leased))
  const signal = AbortSignal.any([stopping, held.lost])
  try {
    const secret = decryptFor(ownerOfSecret(leased.id), leased.secret, deps.encryptionKey)
    const crm = openCrm(leased, secret, { ...deps, signal })
    try {
      await runSource(leased, { ...deps, crm, signal })
      await runFiles(leased, { ...deps, crm, signal })
    } finally {
      await crm.close()
    }
    await releaseDone(db, leased, leased.pollS * 1000)
  } catch (error) {
    if (error instanceof RunStoppedError || signal.aborted) await releaseUnfinished(db, leased)
    else await giveUp(leased, deps, error)
  } finally {
    await held.end()
  }
}

async function giveUp(leased: LeasedSource, { db, log }: FollowerDeps, error: unknown): Promise<void> {
  const isTold = error instanceof SourceError
  const problem = isTold
    ? error.message
    : `Reading failed: ${causeOf(error).slice(0, 300).replace(/\.$/, '')}.`
  if (!isTold)
    log.warn(
      { source: leased.id, error: error instanceof Error ? error.stack : String(error) },
      'reading a source failed',
    )
  const delayMs = retryDelayMs(leased.failures + 1, leased.pollS * 1000, isTold ? error.retryAfterMs : null)
  await releaseFailed(db, leased, problem, delayMs)
}
