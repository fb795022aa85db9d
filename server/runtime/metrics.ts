import type { IncomingMessage, ServerResponse } from 'node:http'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { type Database, poolSize } from '#db/client.ts'
import { type Backlog, measureBacklog } from '../webhooks/courier/backlog-store.ts'
import { queueConnections } from '../webhooks/courier/queue-store.ts'
import type { DeliveryState } from '../webhooks/delivery.ts'

/** Counts what a process does and serves the figures to a collector. */
export interface Metrics {
  /**
   * Counts a request; the returned function is called at its end. `status` is null when the client
   * disconnected before the response.
   */
  begin(): (operation: string, status: number | null) => void
  /** Counts an attempt of a delivery by its resulting state. */
  attempt(state: DeliveryState): void
  /**
   * Responds to `GET /metrics` with all figures in Prometheus' text format, and rejects anything else.
   * @see https://prometheus.io/docs/instrumenting/exposition_formats/
   */
  answer(request: IncomingMessage, response: ServerResponse): void
}

const durationsS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const resultOf = { delivered: 'delivered', waiting: 'retried', failed: 'failed' } as const satisfies Record<
  DeliveryState,
  string
>

// The collector gives up after ten seconds and would lose the other figures too.
const databasePatienceMs = 1000

/** Creates the metrics. Figures from the database are read on each scrape and left out while it is down. */
export function makeMetrics(db: Database): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const named = (name: string, help: string) => ({ name: `partner_deals_${name}`, help, registers })

  const requests = new Counter({
    ...named(
      'http_requests_total',
      'Requests by operation and status; none: the client disconnected before the response.',
    ),
    labelNames: ['operation', 'status'],
  })
  const durations = new Histogram({
    ...named('http_request_duration_seconds', 'Time from the head of a request to the end of its answer.'),
    labelNames: ['operation'],
    buckets: durationsS,
  })
  const underway = new Gauge(named('http_requests_underway', 'Requests whose answer is not at its end.'))
  const attempts = new Counter({
    ...named(
      'delivery_attempts_total',
      'Delivery attempts made by this process, by resulting state of the delivery.',
    ),
    labelNames: ['result'],
  })
  for (const result of Object.values(resultOf)) attempts.inc({ result }, 0)

  const up = new Gauge(named('database_up', 'Whether the database answered in time.'))
  const inDatabase = {
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
    longestFailingS: new Gauge(
      named(
        'endpoints_longest_failing_seconds',
        'How long the endpoint that has failed longest has been failing.',
      ),
    ),
  } satisfies Record<keyof DatabaseFigures, Gauge>
  new Gauge(named('database_connections_max', 'Connections that this process holds at most.')).set(
    poolSize + queueConnections,
  )
  collectDefaultMetrics({ register: registry })

  // One at a time: queries must not pile up while the database is down.
  let asked: Promise<DatabaseFigures> | null = null
  const askDatabase = () =>
    (asked ??= measureDatabase(db).finally(() => {
      asked = null
    }))

  async function read(): Promise<string> {
    const figures = await inTime(askDatabase())
    up.set(figures === null ? 0 : 1)
    for (const name of Object.keys(inDatabase) as (keyof DatabaseFigures)[]) {
      if (figures === null) inDatabase[name].remove()
      else inDatabase[name].set(figures[name])
    }
    return registry.metrics()
  }

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
    answer(request, response) {
      if (request.method !== 'GET' || request.url?.replace(/\?.*/s, '') !== '/metrics') {
        response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not found\n')
        return
      }
      void read().then((text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text))
    },
  }
}

interface DatabaseFigures extends Backlog {
  answerS: number
  busy: number
  open: number
}

async function measureDatabase(db: Database): Promise<DatabaseFigures> {
  const started = performance.now()
  const backlog = await measureBacklog(db)
  const answerS = (performance.now() - started) / 1000
  // Afterwards, so that this connection is not counted.
  return { ...backlog, answerS, ...(await countConnections(db)) }
}

/**
 * Returns the number of database connections other than the one that asks. The driver does not report its
 * own, nor does PostgreSQL say which process a connection belongs to.
 */
async function countConnections(db: Database): Promise<{ busy: number; open: number }> {
  const [connections] = await db.$client<[{ busy: number; open: number }]>`
    select count(*) filter (where state <> 'idle' and pid <> pg_backend_pid())::float8 as busy, count(*)::float8 as open
    from pg_stat_activity where datname = current_database() and application_name = current_setting('application_name')`
  return connections
}

/** Returns the result, or null when it fails or takes too long. */
async function inTime<T>(asked: Promise<T>): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, databasePatienceMs, null)
  try {
    return await Promise.race([asked.catch(() => null), late])
  } finally {
    clearTimeout(timer)
  }
}
