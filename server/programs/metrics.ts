import type { IncomingMessage, ServerResponse } from 'node:http'
import { Gauge, Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { type Database, poolSize } from '#db/client.ts'
import type { Replica } from '#db/replica.ts'
import type { BackgroundQueue } from '../admission/background.ts'
import { withTimeout } from '../admission/scheduling.ts'
import type { SlotCounts, Slots } from '../admission/slots.ts'
import type { Outcome } from '../jobs/attempt-job.ts'
import type { JobKind } from '../jobs/kinds.ts'
import { type JobCounts, countJobs } from '../jobs/store.ts'
import { noticeConnections } from '../notifications/policy.ts'
import { readSourceHealth } from '../sources/as-of-store.ts'
import type { DeliveryState } from '../webhooks/delivery.ts'
import { type Backlog, measureBacklog, queueConnections } from '../webhooks/queue-store.ts'

/** Counts the work of a process, and serves the metrics to a collector. */
export interface Metrics {
  /**
   * Starts counting a request. The returned function must be called at the end, with null if the client
   * disconnected before the response.
   */
  begin(): (operation: string, status: number | null) => void
  /** Counts a delivery attempt by the resulting state. */
  attempt(state: DeliveryState): void
  job(kind: JobKind, result: Outcome['result']): void
  /** Responds to `GET /metrics` in the Prometheus text format. */
  answer(request: IncomingMessage, response: ServerResponse): void
}

const durationsS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const resultOf = { delivered: 'delivered', waiting: 'retried', failed: 'failed' } as const satisfies Record<
  DeliveryState,
  string
>

/** Creates the metrics. Database metrics are read on each scrape, and omitted while the database is down. */
export function makeMetrics(
  db: Database,
  replica: Pick<Replica, 'state'> | null = null,
  background: Pick<BackgroundQueue, 'counts'> | null = null,
  admission: AdmissionSlots | null = null,
): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const named: Naming = (name, help) => ({ name: `partner_deals_${name}`, help, registers })
  const { requests, durations, underway } = makeRequestFigures(named)
  const attempts = makeAttemptFigures(named)
  const jobs = new Counter({
    ...named('job_attempts_total', 'Attempts of jobs made by this process, by kind and result.'),
    labelNames: ['kind', 'result'],
  })
  const databaseFigures = makeDatabaseFigures(db, named)
  new Gauge(named('database_connections_max', 'Maximum number of connections of this process.')).set(
    poolSize + queueConnections + noticeConnections,
  )
  if (replica !== null) makeReplicaFigures(replica, named)
  if (background !== null) makeBackgroundFigures(background, named)
  if (admission !== null) makeAdmissionFigures(admission, named)
  collectDefaultMetrics({ register: registry })

  return {
    begin() {
      const started = performance.now()
      underway.inc()
      return (operation, status) => {
        underway.dec()
        requests.inc({ operation, status: status ?? 'none' })
        durations.observe({ operation }, (performance.now() - started) / 1000)
      }
    },
    attempt: (state) => attempts.inc({ result: resultOf[state] }),
    job: (kind, result) => jobs.inc({ kind, result }),
    answer(request, response) {
      if (request.method !== 'GET' || request.url?.replace(/\?.*/s, '') !== '/metrics') {
        response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not found\n')
        return
      }
      void databaseFigures
        .refresh()
        .then(() => registry.metrics())
        .then((text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text))
    },
  }
}

function makeRequestFigures(named: Naming) {
  return {
    requests: new Counter({
      ...named(
        'http_requests_total',
        'Requests by operation and status; none: the client disconnected before the response.',
      ),
      labelNames: ['operation', 'status'],
    }),
    durations: new Histogram({
      ...named('http_request_duration_seconds', 'Time from the head of a request to the end of its answer.'),
      labelNames: ['operation'],
      buckets: durationsS,
    }),
    underway: new Gauge(named('http_requests_underway', 'Requests whose answer is not at its end.')),
  }
}

/** Creates the counter of attempts, starting at zero for each result. */
function makeAttemptFigures(named: Naming) {
  const attempts = new Counter({
    ...named(
      'delivery_attempts_total',
      'Delivery attempts made by this process, by resulting state of the delivery.',
    ),
    labelNames: ['result'],
  })
  for (const result of Object.values(resultOf)) attempts.inc({ result }, 0)
  return attempts
}

type AdmissionSlots = Record<'requests' | 'statements', Pick<Slots, 'counts'>>

/** Creates the admission metrics: requests and statements by kind of caller, without partner names. */
function makeAdmissionFigures({ requests, statements }: AdmissionSlots, named: Naming): void {
  const labelNames = ['work', 'caller']
  const forEachCaller = (
    use: (labels: { work: string; caller: string }, counts: SlotCounts['partner']) => void,
  ) => {
    for (const [work, { counts }] of Object.entries({ requests, statements }))
      for (const [caller, ofCaller] of Object.entries(counts)) use({ work, caller }, ofCaller)
  }
  void new Counter({
    ...named('admitted_total', 'Requests and statements that were given a slot, by kind of caller.'),
    labelNames,
    collect() {
      this.reset()
      forEachCaller((labels, { admitted }) => this.inc(labels, admitted))
    },
  })
  void new Gauge({
    ...named('admission_waiting', 'Requests and statements that wait for a slot, by kind of caller.'),
    labelNames,
    collect() {
      forEachCaller((labels, { waiting }) => this.set(labels, waiting))
    },
  })
  void new Counter({
    ...named(
      'admission_refused_total',
      'Requests and statements that were refused a slot, by kind of caller.',
    ),
    labelNames,
    collect() {
      this.reset()
      forEachCaller((labels, { refused }) => this.inc(labels, refused))
    },
  })
}

/** Creates the metrics of background work, by kind. */
function makeBackgroundFigures({ counts }: Pick<BackgroundQueue, 'counts'>, named: Naming): void {
  void new Gauge({
    ...named('background_waiting', 'Work behind responses that waits, by kind.'),
    labelNames: ['work'],
    collect() {
      for (const { kind, waiting } of counts()) this.set({ work: kind }, waiting)
    },
  })
  void new Counter({
    ...named('background_dropped_total', 'Work behind responses that was dropped: too much waited.'),
    labelNames: ['work'],
    collect() {
      this.reset()
      for (const { kind, dropped } of counts()) this.inc({ work: kind }, dropped)
    },
  })
}

/** Creates the metrics of the read replica, as seen by this process. */
function makeReplicaFigures({ state }: Pick<Replica, 'state'>, named: Naming): void {
  void new Gauge({
    ...named('replica_lag_seconds', 'How far the read replica is behind the primary; absent when not known.'),
    collect() {
      const { lagMs } = state()
      if (lagMs === null) this.remove()
      else this.set(lagMs / 1000)
    },
  })
  void new Gauge({
    ...named('replica_up', 'Whether the read replica is read; 0: the primary is, in its place.'),
    collect() {
      this.set(state().problem === null ? 1 : 0)
    },
  })
  void new Counter({
    ...named('replica_reads_total', 'Reads for the read replica, by who has answered them.'),
    labelNames: ['by'],
    collect() {
      this.reset()
      for (const [by, count] of Object.entries(state().answered)) this.inc({ by }, count)
    },
  })
}

/** Returns the options of a metric. */
type Naming = (name: string, help: string) => { name: string; help: string; registers: Registry[] }

// Timeout for database metrics. The collector gives up on the whole scrape after ten seconds.
const databaseTimeoutMs = 1000

/** Creates the metrics that are read from the database. */
function makeDatabaseFigures(db: Database, named: Naming) {
  const up = new Gauge(named('database_up', 'Whether the database answered in time.'))
  const gauges = {
    answerS: new Gauge(
      named(
        'database_answer_seconds',
        'Duration of the query for these figures, including the wait for a pool connection.',
      ),
    ),
    busy: new Gauge(
      named('database_connections_busy', 'Database connections in use, of all processes of the service.'),
    ),
    open: new Gauge(
      named('database_connections_open', 'Connections of all processes of the service to the database.'),
    ),
    waiting: new Gauge(
      named('deliveries_waiting', 'Deliveries that wait, for their turn or the next attempt.'),
    ),
    oldestDueS: new Gauge(
      named('deliveries_oldest_due_age_seconds', 'How long the most overdue delivery has been due.'),
    ),
    endpointsSlowed: new Gauge(
      named(
        'endpoints_slowed',
        'Endpoints that get fewer requests because they answered 429, 502, 503 or 504.',
      ),
    ),
    longestFailingS: new Gauge(
      named(
        'endpoints_longest_failing_seconds',
        'How long the endpoint that has failed longest has been failing.',
      ),
    ),
    sourceLagS: new Gauge(
      named('source_lag_seconds', 'How long the source that is furthest behind has not been read.'),
    ),
    sourcesFailing: new Gauge(named('sources_failing', 'Sources of deals whose last run failed.')),
  } satisfies Record<keyof Omit<DatabaseFigures, 'jobs'>, Gauge>

  const setJobs = makeJobFigures(named)

  // Only one read runs at a time, so that queries do not pile up while the database is down.
  let running: Promise<DatabaseFigures> | null = null
  const measure = () =>
    (running ??= measureDatabase(db).finally(() => {
      running = null
    }))

  return {
    /** Updates the metrics, or removes them if the database is down or slow. */
    async refresh(): Promise<void> {
      const figures = await withTimeout(
        measure().catch(() => null),
        databaseTimeoutMs,
        () => null,
      )
      up.set(figures === null ? 0 : 1)
      setJobs(figures?.jobs ?? [])
      for (const name of Object.keys(gauges) as (keyof typeof gauges)[]) {
        if (figures === null) gauges[name].remove()
        else gauges[name].set(figures[name])
      }
    },
  }
}

/** Creates the job metrics. Returns a function that sets them. */
function makeJobFigures(named: Naming): (counts: readonly JobCounts[]) => void {
  const jobs = new Gauge({
    ...named('jobs', 'Jobs by kind: waiting, running, failing (waiting after a failure), dead.'),
    labelNames: ['kind', 'state'],
  })
  const oldestJobS = new Gauge({
    ...named('jobs_oldest_due_age_seconds', 'How long the most overdue job of a kind has been due.'),
    labelNames: ['kind'],
  })
  return (counts) => {
    jobs.reset()
    oldestJobS.reset()
    for (const { kind, oldestDueS, ...states } of counts) {
      for (const [state, count] of Object.entries(states)) jobs.set({ kind, state }, count)
      oldestJobS.set({ kind }, oldestDueS ?? 0)
    }
  }
}

interface DatabaseFigures extends Backlog {
  answerS: number
  busy: number
  open: number
  sourceLagS: number
  sourcesFailing: number
  jobs: JobCounts[]
}

async function measureDatabase(db: Database): Promise<DatabaseFigures> {
  const started = performance.now()
  const backlog = await measureBacklog(db)
  const { lagS: sourceLagS, failing: sourcesFailing } = await readSourceHealth(db)
  const jobs = await countJobs(db)
  const answerS = (performance.now() - started) / 1000
  // Counted last, so that the queries above are finished.
  return { ...backlog, sourceLagS, sourcesFailing, jobs, answerS, ...(await countConnections(db)) }
}

/**
 * Returns the number of connections of all processes, because connections cannot be attributed to a process.
 */
async function countConnections(db: Database): Promise<{ busy: number; open: number }> {
  const [connections] = await db.$client<[{ busy: number; open: number }]>`
    select count(*) filter (where state <> 'idle' and pid <> pg_backend_pid())::float8 as busy,
      count(*)::float8 as open
    from pg_stat_activity where datname = current_database() and application_name = current_setting('application_name')`
  return connections
}
