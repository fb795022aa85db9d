import { minuteMs } from '../values/units.ts'
import { backupMaxAgeMs, diskFreeMinBytes } from './policy.ts'

/** The inputs of the health verdict. */
export interface HealthSigns {
  workerCount: number
  /** How overdue the oldest delivery is, in milliseconds; null if none is due. */
  overdueMs: number | null
  /** Attempts within the last hour, and how many of them failed. */
  attempts: { hour: number; hourFailed: number }
  /** Endpoints that are failing or disabled, at least. */
  unhealthyEndpoints: number
  connections: number
  connectionsMax: number
  answerMs: number
  /** Why files cannot be stored or read; null if they can. */
  fileProblem: string | null
  /** Why the read replica is not used; null if it is, or if there is none. */
  replicaProblem: string | null
  /** Sources whose last run failed, and those that lack mapped properties. */
  sources: { failing: number; incomplete: number }
  /** Jobs that failed for the last time. */
  deadJobs: number
  /** How overdue the oldest job is, in seconds; null if none is due. */
  oldestJobS: number | null
  /** Mails that failed, or wait for another attempt. */
  mail: { waiting: number; failed: number }
  /** Why the mail server cannot be used; null if it can, or if there is none. */
  mailServerProblem: string | null
  /** Free space on the disk of the data directory. */
  diskFreeBytes: number
  /** The age of the last backup; null if there is none. */
  backupAgeMs: number | null
}

/** Health problems, most severe first. */
const troubles = [
  'noWorker',
  'queueBehind',
  'jobsBehind',
  'disk',
  'connections',
  'slowDatabase',
  'files',
  'replica',
  'attemptsFail',
  'sources',
  'properties',
  'jobs',
  'mailServer',
  'mail',
  'backup',
  'endpoints',
] as const
export type HealthProblem = (typeof troubles)[number]

const overdueMaxMs = minuteMs
// Jobs of one person may wait for each other.
const jobMaxS = 600
const answerMaxMs = 250
const connectionsMaxShare = 0.9
const failedMaxShare = 0.5
// A few failures are not significant.
const attemptsMin = 20

/** Returns the problems, most severe first; [] when healthy. */
export function problemsOf(signs: HealthSigns): HealthProblem[] {
  const {
    workerCount,
    overdueMs,
    attempts,
    unhealthyEndpoints,
    connections,
    connectionsMax,
    answerMs,
    fileProblem,
    replicaProblem,
    sources,
    deadJobs,
    oldestJobS,
    mail,
    mailServerProblem,
    diskFreeBytes,
    backupAgeMs,
  } = signs
  const is: Record<HealthProblem, boolean> = {
    noWorker: workerCount === 0,
    queueBehind: workerCount > 0 && overdueMs !== null && overdueMs > overdueMaxMs,
    jobsBehind: workerCount > 0 && oldestJobS !== null && oldestJobS > jobMaxS,
    connections: connections > connectionsMax * connectionsMaxShare,
    slowDatabase: answerMs > answerMaxMs,
    files: fileProblem !== null,
    replica: replicaProblem !== null,
    attemptsFail: attempts.hour >= attemptsMin && attempts.hourFailed > attempts.hour * failedMaxShare,
    sources: sources.failing > 0,
    properties: sources.incomplete > 0,
    jobs: deadJobs > 0,
    disk: diskFreeBytes < diskFreeMinBytes,
    mailServer: mailServerProblem !== null,
    backup: backupAgeMs !== null && backupAgeMs > backupMaxAgeMs,
    mail: mail.waiting + mail.failed > 0,
    endpoints: unhealthyEndpoints > 0,
  }
  return troubles.filter((each) => is[each])
}
