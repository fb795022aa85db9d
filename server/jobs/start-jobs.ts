import { listenTo } from '#db/listen.ts'
import { JobRunner, type RunnerDeps } from './job-runner.ts'

/** Runs jobs until stopped, and begins those of other processes at once. */
export function startJobs(deps: RunnerDeps): { stop(graceMs: number): Promise<void> } {
  const runner = new JobRunner(deps)
  // Jobs sent while nobody listens are found by polling.
  const listener = listenTo(deps.db, ['jobs'], { onMessage: runner.wake, onListening() {}, onLost() {} })
  return {
    async stop(graceMs) {
      await Promise.all([listener.stop(), runner.stop(graceMs)])
    },
  }
}
