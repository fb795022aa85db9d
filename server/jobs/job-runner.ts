import { setTimeout as sleep } from 'node:timers/promises'
import type { PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import { listenTo } from '#db/listen.ts'
import { databaseTooLate, withTimeout } from '../admission/scheduling.ts'
import { outsideRequest } from '../admission/slots.ts'
import { causeOf } from '../errors.ts'
import { minuteMs, secondMs } from '../values/units.ts'
import { type JobHandlers, type Outcome, attemptJob, stopMs } from './attempt-job.ts'
import { type JobKind, jobKindNames, policyOf } from './kinds.ts'
import { type OpenBoss, type LeasedJob, openBoss } from './open-boss.ts'
import { findDueKinds, likenessOf, recordSuspect, settleJobs, takeJobs, takeOverLostJobs } from './store.ts'

export interface RunnerDeps {
  /** The worker's connections, which bypass the pooler. */
  db: Database
  log: Logger
  handlers: JobHandlers
  /** Maximum duration of the statements between two pauses. After that, the connection is replaced. */
  stepMaxMs?: number
  attempted?: (kind: JobKind, result: Outcome['result'], durationMs: number) => void
}

interface RunningJob {
  job: LeasedJob
  abort: AbortController
  done: Promise<void>
}

const pollMs = secondMs
/** A third of the heartbeat interval that the queues expect. */
const touchMs = 10 * secondMs
const pauseMs = 500
/** Minimum time between the starts of jobs whose process died before, to find the job at fault. */
const suspectMs = minuteMs
/** Wait of other jobs while a suspect job runs. */
const suspectWaitMs = 2 * secondMs
/** Wait of a job while an identical job is dead because it killed its processes. */
const deadWaitMs = 10 * minuteMs
/** Maximum time that a stopping process takes to release its jobs. */
const settleMs = secondMs

/** Covers statements that the driver never settles. Equal to the heartbeat timeout of the queues. */
const stepMaxMs = 30 * secondMs

/** Runs jobs until stopped. Several processes can share a database. */
export class JobRunner {
  readonly #deps: RunnerDeps
  readonly #running = new Map<JobKind, Map<string, RunningJob>>(jobKindNames.map((kind) => [kind, new Map()]))
  readonly #stopping = new AbortController()
  readonly #loop: Promise<void>
  readonly #listener: { stop(): Promise<void> }
  #outcomes: Outcome[] = []
  #pending = new Set<JobKind>()
  #touchedAt = -Infinity
  #polledAt = -Infinity
  #wake = () => {}
  /** Ids of jobs that have killed too many processes, by `likenessOf`. */
  #dead: ReadonlyMap<string, string> = new Map()
  /** The running job that may kill this process, and the time until which similar jobs wait. */
  #suspect: { id: string; until: number } | null = null

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#loop = outsideRequest(() => this.#run())
    const onMessage = (kind: string) => {
      // A newer version may send unknown kinds.
      if (!this.#running.has(kind as JobKind)) return
      this.#pending.add(kind as JobKind)
      this.#wake()
    }
    // Jobs sent while the connection is lost are found by polling.
    this.#listener = listenTo(deps.db, ['jobs'], { onMessage, onListening() {}, onLost() {} })
  }

  /**
   * Stops taking jobs and waits at most `graceMs` for running ones. Then releases the remaining jobs, which
   * takes up to `stopMs` plus `settleMs`.
   */
  async stop(graceMs: number): Promise<void> {
    const unlistened = this.#listener.stop()
    this.#stopping.abort()
    this.#wake()
    const running = () =>
      [...this.#running].flatMap(([kind, jobs]) => [...jobs.values()].map((job) => ({ kind, ...job })))
    for (const { kind, abort } of running()) if (policyOf(kind).isResumed) abort.abort()
    await withTimeout(Promise.all(running().map(({ done }) => done)), graceMs, () => [])
    for (const { abort } of running()) abort.abort()
    await withTimeout(this.#loop, stopMs + settleMs, () => undefined)
    const left = running().map(({ kind }) => kind)
    if (left.length > 0) this.#deps.log.warn({ kinds: left }, 'stopped while jobs were running')
    await unlistened
  }

  async #run(): Promise<void> {
    let open: OpenBoss | null = null
    while (!this.#isOver()) {
      try {
        open ??= await this.#open()
        await withTimeout(this.#step(open), this.#deps.stepMaxMs ?? stepMaxMs, databaseTooLate)
        await this.#rest()
      } catch (error) {
        this.#report(error)
        await open?.close().catch(() => {})
        open = null
        await sleep(pauseMs)
      }
    }
    await open?.close()
  }

  /** Returns whether all jobs that were taken are settled. */
  readonly #isOver = () =>
    this.#stopping.signal.aborted &&
    this.#outcomes.length === 0 &&
    [...this.#running.values()].every(({ size }) => size === 0)

  async #open(): Promise<OpenBoss> {
    const open = await openBoss(this.#deps.db, { isWorker: true, report: this.#report })
    await schedulePeriodic(open.boss)
    return open
  }

  readonly #report = (error: unknown) =>
    this.#deps.log.warn({ error: causeOf(error) }, 'jobs cannot be read or settled')

  async #step(open: OpenBoss): Promise<void> {
    await this.#settle(open)
    if (performance.now() - this.#touchedAt > touchMs) {
      await this.#touch(open)
      this.#dead = await takeOverLostJobs(open.sql)
    }
    if (this.#stopping.signal.aborted) return
    if (performance.now() - this.#polledAt > pollMs) {
      this.#polledAt = performance.now()
      for (const kind of await findDueKinds(open.sql, jobKindNames)) this.#pending.add(kind)
    }
    const kinds = this.#pending
    this.#pending = new Set()
    for (const kind of kinds) await this.#take(open, kind)
  }

  async #rest(): Promise<void> {
    if (this.#pending.size > 0 || this.#outcomes.length > 0) return
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    await withTimeout(woken, this.#stopping.signal.aborted ? pauseMs : pollMs, () => undefined)
  }

  async #settle(open: OpenBoss): Promise<void> {
    const outcomes = this.#outcomes
    this.#outcomes = []
    try {
      await settleJobs(open, outcomes)
    } catch (error) {
      this.#outcomes.unshift(...outcomes)
      throw error
    }
    // Cleared only after settling. If the next job killed this process, an unsettled job would also be
    // suspected.
    if (outcomes.some(({ job }) => job.id === this.#suspect?.id)) this.#suspect = null
  }

  /** Renews the heartbeat of running jobs, and aborts jobs that other processes have taken over. */
  async #touch({ boss }: OpenBoss): Promise<void> {
    this.#touchedAt = performance.now()
    for (const [kind, jobs] of this.#running) {
      if (jobs.size === 0) continue
      const response = (await boss.touch(
        kind,
        [...jobs.values()].map(({ job }) => job),
      )) as { settled?: string[] }
      const alive = new Set(response.settled)
      for (const [id, { abort }] of jobs) if (!alive.has(id)) abort.abort()
    }
  }

  async #take(open: OpenBoss, kind: JobKind): Promise<void> {
    const { concurrency, perGroup } = policyOf(kind)
    const running = this.#running.get(kind)!
    // Each pass takes the oldest jobs of the groups that run fewer than `perGroup` jobs.
    for (let started = 1; started > 0 && running.size < concurrency;) {
      const jobs = await takeJobs(open, kind, concurrency - running.size)
      for (const job of jobs) await this.#start(open, kind, job)
      started = perGroup === undefined ? 0 : jobs.length
    }
  }

  /** Returns how long a job must wait because it may kill this process and interrupt its other jobs. */
  #waitOf(kind: JobKind, { id, priority, singletonKey, data }: LeasedJob): number {
    const dead = this.#dead.get(likenessOf(kind, singletonKey, data))
    // The dead job itself runs again if an operator has retried it.
    if (dead !== undefined && dead !== id) return deadWaitMs
    const isOneRunning = this.#suspect !== null && performance.now() < this.#suspect.until
    return priority < 0 && isOneRunning ? suspectWaitMs * (1 + Math.random()) : 0
  }

  async #start({ sql }: OpenBoss, kind: JobKind, job: LeasedJob): Promise<void> {
    const waitMs = this.#waitOf(kind, job)
    if (waitMs > 0) {
      this.#outcomes.push({ kind, job, result: 'stopped', problem: null, waitMs })
      return
    }
    const running = this.#running.get(kind)!
    const abort = new AbortController()
    const startedAt = performance.now()
    if (job.priority < 0) {
      this.#suspect = { id: job.id, until: startedAt + suspectMs }
      await recordSuspect(sql, kind, job)
    }
    const done = attemptJob(this.#deps, kind, job, abort.signal).then((outcome) => {
      running.delete(job.id)
      this.#deps.attempted?.(kind, outcome.result, performance.now() - startedAt)
      this.#outcomes.push(outcome)
      // Another job of this kind or group can start now.
      this.#pending.add(kind)
      this.#wake()
    })
    running.set(job.id, { job, abort, done })
  }
}

/** Schedules periodic jobs. Occurrences missed while no worker ran are replaced by a single job. */
async function schedulePeriodic(boss: PgBoss): Promise<void> {
  const schedules = await boss.getSchedules()
  // Removes the schedules of kinds that only an older version had.
  for (const { name } of schedules)
    if (!jobKindNames.some((kind) => kind === name)) await boss.unschedule(name)
  for (const kind of jobKindNames) {
    const { cron } = policyOf(kind)
    const scheduled = schedules.find(({ name }) => name === kind)
    if (cron !== undefined && scheduled?.cron !== cron)
      await boss.schedule(kind, cron, null, { missed: 'once' })
  }
}
