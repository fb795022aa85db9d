import { expect, test } from 'vitest'
import { type HealthSigns, problemsOf } from './verdict.ts'

const well: HealthSigns = {
  workerCount: 1,
  overdueMs: 60_000,
  attempts: { hour: 100, hourFailed: 50 },
  unhealthyEndpoints: 0,
  connections: 90,
  connectionsMax: 100,
  answerMs: 250,
  fileProblem: null,
  replicaProblem: null,
  sources: { failing: 0, incomplete: 0 },
  deadJobs: 0,
  oldestJobS: 600,
  mail: { waiting: 0, failed: 0 },
  mailServerProblem: null,
  diskFreeBytes: 5e9,
  backupAgeMs: null,
}

test.each<[Partial<HealthSigns>, string[]]>([
  [{}, []],
  [{ overdueMs: null }, []],
  [{ workerCount: 0 }, ['noWorker']],
  [{ workerCount: 0, overdueMs: 1e9 }, ['noWorker']],
  [{ overdueMs: 60_001 }, ['queueBehind']],
  [{ connections: 91 }, ['connections']],
  [{ answerMs: 251 }, ['slowDatabase']],
  [{ fileProblem: 'the store has no room for another file' }, ['files']],
  [{ replicaProblem: 'behind' }, ['replica']],
  [{ attempts: { hour: 100, hourFailed: 51 } }, ['attemptsFail']],
  [{ sources: { failing: 1, incomplete: 0 } }, ['sources']],
  [{ sources: { failing: 0, incomplete: 1 } }, ['properties']],
  [{ deadJobs: 1 }, ['jobs']],
  [{ oldestJobS: 601 }, ['jobsBehind']],
  [{ oldestJobS: null }, []],
  [{ mail: { waiting: 1, failed: 0 } }, ['mail']],
  [{ mailServerProblem: 'the mail server refuses connections' }, ['mailServer']],
  [{ diskFreeBytes: 1e9 }, ['disk']],
  [{ diskFreeBytes: 0 }, ['disk']],
  [{ backupAgeMs: 8 * 86_400_000 }, ['backup']],
  [{ backupAgeMs: 6 * 86_400_000 }, []],
  [{ mail: { waiting: 0, failed: 1 } }, ['mail']],
  [{ attempts: { hour: 19, hourFailed: 19 } }, []],
  [{ unhealthyEndpoints: 1, workerCount: 0 }, ['noWorker', 'endpoints']],
])('for the signs %j, reports the problems %j', (signs, troubles) => {
  expect(problemsOf({ ...well, ...signs })).toEqual(troubles)
})
