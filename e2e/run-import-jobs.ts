import { runDueJobs } from '#e2e/run-due-jobs.ts'
import { importStoragesOf } from '#server/imports/make-storages.ts'
import { continueImport } from '#server/imports/run-import.ts'
import type { Services } from '#server/runtime/services.ts'

/** Runs the jobs that check and import files. Returns the problems of failed jobs. */
export const runImportJobs = (services: Services): Promise<string[]> =>
  runDueJobs(services.db, {
    'run-import': ({ importId }, { signal }) =>
      continueImport(services.db, importStoragesOf(services), importId, signal),
  })
