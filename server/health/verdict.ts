import { minuteMs } from '../values/units.ts'
import { backupMaxAgeMs, diskFreeMinBytes } from './policy.ts'

/** The figures that determine health problems. */
export interface HealthSigns {
  workerCount: number
  /** By how many milliseconds the oldest delivery is overdue; null if no delivery is due. */
  overdueMs: number | null
  attempts: { hour: number; hourFailed: number }
  /** Number of failing or disabled endpoints; possibly more. */
  unhealthyEndpoints: number
  connections: number
  connectionsMax: number
  answerMs: number
  fileProblem: string | null
  /** The reason why the read replica is not used; null if it is used or does not exist. */
  replicaProblem: string | null
  sources: { failing: number; incomplete: number }
  deadJobs: number
  /** By how many seconds the oldest job is overdue; null if no job is due. */
  oldestJobS: number | null
  /** Numbers of e-mails that wait for another attempt, and that failed. */
  mail: { waiting: number; failed: number }
  /** The reason why the mail server cannot be used; null if it can be used or is not configured. */
  mailServerProblem: string | null
  diskFreeBytes: number
  backupAgeMs: number | null
}

const overdueMaxMs = minuteMs
// Jobs of the same user may wait for each other, so this limit is generous.
const jobMaxS = 600
const answerMaxMs = 250
const connectionsMaxShare = 0.9
const failedMaxShare = 0.5
// Below this number of attempts, failures are not significant.
const attemptsMin = 20

/** Returns the problems in order of severity, or [] if the system is healthy. */
export function problemsOf(signs: HealthSigns): HealthProblem[] {
  const has = judge(signs)
  return (Object.keys(has) as HealthProblem[]).filter((problem) => has[problem])
}

/** Returns whether the system has each problem. The problems are in order of severity. */
function judge(signs: HealthSigns) {
  const { workerCount, overdueMs, oldestJobS, attempts, sources, mail, backupAgeMs } = signs
  return {
    noWorker: workerCount === 0,
    queueBehind: workerCount > 0 && overdueMs !== null && overdueMs > overdueMaxMs,
    jobsBehind: workerCount > 0 && oldestJobS !== null && oldestJobS > jobMaxS,
    disk: signs.diskFreeBytes < diskFreeMinBytes,
    connections: signs.connections > signs.connectionsMax * connectionsMaxShare,
    slowDatabase: signs.answerMs > answerMaxMs,
    files: signs.fileProblem !== null,
    replica: signs.replicaProblem !== null,
    attemptsFail: attempts.hour >= attemptsMin && attempts.hourFailed > attempts.hour * failedMaxShare,
    sources: sources.failing > 0,
    properties: sources.incomplete > 0,
    jobs: signs.deadJobs > 0,
    mailServer: signs.mailServerProblem !== null,
    mail: mail.waiting + mail.failed > 0,
    backup: backupAgeMs !== null && backupAgeMs > backupMaxAgeMs,
    endpoints: signs.unhealthyEndpoints > 0,
  }
}

export type HealthProblem = keyof ReturnType<typeof judge>
