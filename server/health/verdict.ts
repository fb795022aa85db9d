import { minuteMs } from '../protocol/units.ts'

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
  /** Sources whose last run failed. */
  sourcesFailing: number
  /** Mails that failed, or wait for another attempt. */
  mail: { waiting: number; failed: number }
}

/** Health problems, most severe first. */
const troubles = [
  'noWorker',
  'queueBehind',
  'connections',
  'slowDatabase',
  'files',
  'replica',
  'attemptsFail',
  'sources',
  'mail',
  'endpoints',
] as const
export type HealthProblem = (typeof troubles)[number]

const overdueMaxMs = minuteMs
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
    sourcesFailing,
    mail,
  } = signs
  const is: Record<HealthProblem, boolean> = {
    noWorker: workerCount === 0,
    queueBehind: workerCount > 0 && overdueMs !== null && overdueMs > overdueMaxMs,
    connections: connections > connectionsMax * connectionsMaxShare,
    slowDatabase: answerMs > answerMaxMs,
    files: fileProblem !== null,
    replica: replicaProblem !== null,
    attemptsFail: attempts.hour >= attemptsMin && attempts.hourFailed > attempts.hour * failedMaxShare,
    sources: sourcesFailing > 0,
    mail: mail.waiting + mail.failed > 0,
    endpoints: unhealthyEndpoints > 0,
  }
  return troubles.filter((each) => is[each])
}
