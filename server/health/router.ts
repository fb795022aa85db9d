import { statfs } from 'node:fs/promises'
import about from '#package.json' with { type: 'json' }
import { forOperators, router } from '../access/procedure.ts'
import { readMailHealth } from '../accounts/mail-store.ts'
import { type JobCounts, countJobs } from '../jobs/store.ts'
import type { Services } from '../runtime/services.ts'
import { readSourceHealth } from '../sources/as-of-store.ts'
import { countExpiring } from '../tokens/store.ts'
import { readHours } from './hour-store.ts'
import { expiryHorizonDays } from './policy.ts'
import {
  countMax,
  readAttempts,
  readDatabase,
  readLastBackup,
  readQueue,
  readFailingEndpoints,
  readWorkers,
} from './store.ts'
import { problemsOf } from './verdict.ts'

const endpointsMax = 20

export const healthRouter = router({
  /** Returns all health figures. Counts greater than `countMax` are reported as `countMax + 1`. */
  read: forOperators.query(async ({ ctx: { db, services } }) => {
    const [
      database,
      workers,
      queue,
      attempts,
      endpoints,
      expiringTokens,
      fileProblem,
      hours,
      [sources, mail, jobs],
      operation,
    ] = await Promise.all([
      readDatabase(db),
      readWorkers(db),
      readQueue(db),
      readAttempts(db),
      readFailingEndpoints(db, endpointsMax + 1),
      countExpiring(db, expiryHorizonDays),
      services.storages.current.problem(),
      readHours(db),
      Promise.all([readSourceHealth(db), readMailHealth(db), countJobs(db)]),
      readOperation(services),
    ])
    const readAt = new Date()
    return {
      version: about.version,
      readAt,
      /** Problems in order of severity; empty if the system is healthy. */
      troubles: problemsOf({
        workerCount: workers.length,
        overdueMs: queue.oldestDueAt === null ? null : readAt.getTime() - queue.oldestDueAt.getTime(),
        attempts,
        unhealthyEndpoints: endpoints.length,
        fileProblem,
        replicaProblem: services.replica?.state().problem ?? null,
        sources,
        ...jobSigns(jobs),
        mail,
        ...signsOf(operation, readAt),
        ...database,
      }),
      hours,
      sources,
      mail,
      jobs: jobs.filter(({ waiting, running, dead }) => waiting + running + dead > 0),
      ...operation,
      countMax,
      database,
      /** Counts of the process that handles this request. */
      admission: admissionOf(services.admission),
      /**
       * The state of the read replica as seen by the process that handles this request; null if there is no
       * replica.
       */
      replica: services.replica?.state() ?? null,
      workers,
      queue,
      expiringTokens,
      endpoints: endpoints.slice(0, endpointsMax),
      hasMoreEndpoints: endpoints.length > endpointsMax,
    }
  }),
})

/** Returns the number of dead jobs, and by how many seconds the oldest job is overdue. */
function jobSigns(jobs: readonly JobCounts[]): { deadJobs: number; oldestJobS: number | null } {
  const overdue = jobs.flatMap(({ oldestDueS }) => oldestDueS ?? [])
  return {
    deadJobs: jobs.reduce((sum, { dead }) => sum + dead, 0),
    oldestJobS: overdue.length === 0 ? null : Math.max(...overdue),
  }
}

/**
 * Returns the free space on the data directory's disk, the state of the mail server (null if not configured),
 * and the time of the last backup.
 */
async function readOperation({ db, config, mailServer }: Services) {
  const [disk, problem, backedUpAt] = await Promise.all([
    statfs(config.dataDir),
    mailServer?.problem() ?? null,
    readLastBackup(db),
  ])
  return {
    disk: { freeBytes: disk.bavail * disk.bsize, sizeBytes: disk.blocks * disk.bsize },
    mailServer: mailServer === null ? null : { problem },
    backedUpAt,
  }
}

const signsOf = (
  { disk, mailServer, backedUpAt }: Awaited<ReturnType<typeof readOperation>>,
  readAt: Date,
) => ({
  mailServerProblem: mailServer?.problem ?? null,
  diskFreeBytes: disk.freeBytes,
  backupAgeMs: backedUpAt === null ? null : readAt.getTime() - backedUpAt.getTime(),
})

/** Returns how many requests and statements are waiting, and how many were rejected since startup. */
function admissionOf({ requests, statements }: Services['admission']): { waiting: number; refused: number } {
  const counts = [requests, statements].flatMap((slots) => Object.values(slots.counts))
  return {
    waiting: counts.reduce((sum, { waiting }) => sum + waiting, 0),
    refused: counts.reduce((sum, { refused }) => sum + refused, 0),
  }
}
