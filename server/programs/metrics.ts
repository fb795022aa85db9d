import type { IncomingMessage, ServerResponse } from 'node:http'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { type Database, poolSize } from '#db/client.ts'
import type { Replica } from '#db/replica.ts'
import type { BackgroundQueue } from '../admission/background.ts'
import type { SlotCounts, Slots } from '../admission/slots.ts'
import type { Outcome } from '../jobs/attempt-job.ts'
import type { JobKind } from '../jobs/kinds.ts'
import { noticeConnections } from '../notifications/policy.ts'
import type { DeliveryState } from '../webhooks/delivery.ts'
import { queueConnections } from '../webhooks/queue-store.ts'
import { type Naming, makeDatabaseFigures } from './database-figures.ts'

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
