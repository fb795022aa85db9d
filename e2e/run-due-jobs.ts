import type { Database } from '#db/client.ts'
import { importStoragesOf } from '#server/imports/make-storages.ts'
import { continueImport } from '#server/imports/run-import.ts'
import { type JobHandlers, attemptJob } from '#server/jobs/attempt-job.ts'
import { type JobKind, policyOf } from '#server/jobs/kinds.ts'
import { type LeasedJob, openBoss } from '#server/jobs/open-boss.ts'
import { findDueKinds, settleJobs } from '#server/jobs/store.ts'
import type { Services } from '#server/runtime/services.ts'

/**
 * Runs due jobs of these kinds, and jobs that they create, until none are left. Runs each job at most once.
 * Returns the problems of failed jobs.
 * @system tests
 */
export async function runDueJobs(db: Database, handlers: Partial<JobHandlers>): Promise<string[]> {
  const kinds = Object.keys(handlers) as JobKind[]
  const problems: string[] = []
  const log = { warn() {}, error() {} } as never
  const report = (error: unknown) => {
    throw error
  }
  const open = await openBoss(db, { isWorker: false, report })
  try {
    const failed = new Set<string>()
    for (;;) {
      let count = 0
      for (const kind of await findDueKinds(open.sql, kinds)) {
        const { concurrency, perGroup } = policyOf(kind)
        const options = {
          batchSize: concurrency,
          includeMetadata: true,
          groupConcurrency: perGroup ?? concurrency,
        }
        const jobs = (await open.boss.fetch(kind, options)) as LeasedJob[]
        const fresh = jobs.filter(({ id }) => !failed.has(id))
        const outcomes = await Promise.all(
          fresh.map((job) => attemptJob({ handlers, log }, kind, job, new AbortController().signal)),
        )
        for (const { job, problem } of outcomes) {
          if (problem === null) continue
          problems.push(problem)
          failed.add(job.id)
        }
        await settleJobs(open, outcomes)
        count += fresh.length
      }
      if (count === 0) return problems
    }
  } finally {
    await open.close()
  }
}

/** Runs the jobs that check and import files. Returns the problems of failed jobs. */
export const runImportJobs = (services: Services): Promise<string[]> =>
  runDueJobs(services.db, {
    'run-import': ({ importId }, { signal }) =>
      continueImport(services.db, importStoragesOf(services), importId, signal),
  })
