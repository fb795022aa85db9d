import type { Logger } from 'pino'
import { causeOf } from '../errors.ts'
import { storable } from '../values/short-text.ts'
import { secondMs } from '../values/units.ts'
import type { JobData, JobKind } from './kinds.ts'
import type { LeasedJob } from './open-boss.ts'

interface JobContext {
  /** Aborted when this process stops, the attempt times out, or another process takes over the job. */
  signal: AbortSignal
  isLastAttempt: boolean
}

/** A handler for each kind of job. It resolves when the job is done. If it rejects, the job is retried. */
export type JobHandlers = {
  [Kind in JobKind]: (data: JobData[Kind], context: JobContext) => Promise<unknown>
}

/** Thrown by a handler to retry its job after a minimum delay. */
export class RetryLaterError extends Error {
  readonly waitMs: number

  constructor(message: string, waitMs: number) {
    super(message)
    this.waitMs = waitMs
  }
}

export interface Outcome {
  kind: JobKind
  job: LeasedJob
  /**
   * `stopped` means that this process is stopping, so that another process should run the job immediately.
   */
  result: 'done' | 'failed' | 'dead' | 'stopped'
  problem: string | null
  waitMs: number
}

const problemMax = 2000

/** Maximum time that a handler may take to stop before it is abandoned. */
export const stopMs = 2 * secondMs

/**
 * Runs the handler of a job once. Never rejects, and resolves soon after the abort signal even if the handler
 * ignores it.
 */
export async function attemptJob(
  { handlers, log }: { handlers: Partial<JobHandlers>; log: Pick<Logger, 'warn' | 'error'> },
  kind: JobKind,
  job: LeasedJob,
  lost: AbortSignal,
): Promise<Outcome> {
  const isLastAttempt = job.retryCount >= job.retryLimit
  const signal = AbortSignal.any([lost, AbortSignal.timeout(job.expireInSeconds * secondMs)])
  try {
    const handler = handlers[kind] as (data: unknown, context: JobContext) => Promise<unknown>
    await untilStopped(handler(job.data, { signal, isLastAttempt }), signal)
    return { kind, job, result: 'done', problem: null, waitMs: 0 }
  } catch (error) {
    // The message may quote the response of another system.
    const problem = storable(causeOf(error), problemMax)
    if (lost.aborted) return { kind, job, result: 'stopped', problem, waitMs: 0 }
    const result = isLastAttempt ? 'dead' : 'failed'
    const fields = { job: job.id, kind, attempt: job.retryCount + 1, problem }
    if (isLastAttempt) log.error(fields, 'job is dead')
    else log.warn(fields, 'job failed and will be tried again')
    return { kind, job, result, problem, waitMs: error instanceof RetryLaterError ? error.waitMs : 0 }
  }
}

/** Resolves with the result of the work, or rejects if it has not stopped within `stopMs` of the signal. */
async function untilStopped(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  const expire = () => {
    timer = setTimeout(() => late.reject(new Error('the job did not stop in time')), stopMs)
  }
  if (signal.aborted) expire()
  else signal.addEventListener('abort', expire)
  try {
    await Promise.race([work, late.promise])
  } finally {
    signal.removeEventListener('abort', expire)
    clearTimeout(timer)
  }
}
