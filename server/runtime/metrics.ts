import type { IncomingMessage, ServerResponse } from 'node:http'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { type Database, poolSize } from '#db/client.ts'
import { type Backlog, measureBacklog } from '../webhooks/courier/backlog-store.ts'
import { queueConnections } from '../webhooks/courier/queue-store.ts'
import type { DeliveryState } from '../webhooks/delivery.ts'

/** Counts what a process does, and tells it to whoever collects figures. */
export interface Metrics {
  /** Counts a request; what it gives is called when that is over. `status` is null when the client did not wait for an answer. */
  begin(): (operation: string, status: number | null) => void
  /** Counts an attempt of a delivery by the state that it led to. */
  attempt(state: DeliveryState): void
  /**
   * Answers `GET /metrics` with all figures, in Prometheus' text format, and nothing else.
   * @see https://prometheus.io/docs/instrumenting/exposition_formats/
   */
  answer(request: IncomingMessage, response: ServerResponse): void
}

const durationsS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const resultOf = { delivered: 'delivered', waiting: 'retried', failed: 'failed' } as const satisfies Record<
  DeliveryState,
  string
>

// Whoever collects gives up after ten seconds, and would have none of the other figures.
const databasePatienceMs = 1000

/** Starts to count. What the database knows is asked for when the figures are, and is absent while it is away. */
export function makeMetrics(db: Database): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const named = (name: string, help: string) => ({ name: `partner_deals_${name}`, help, registers })

  const requests = new Counter({
    ...named(
      'http_requests_total',
      'Requests by operation and status; none: the client was gone before the answer.',
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
      'Attempts of deliveries made by this process, by what became of the delivery.',
    ),
    labelNames: ['result'],
  })
  for (const result of Object.values(resultOf)) attempts.inc({ result }, 0)

  const up = new Gauge(named('database_up', 'Whether the database answered in time.'))
  const inDatabase = {
    answerS: new Gauge(
      named(
        'database_answer_seconds',
        'Time that the question for these figures took, the wait for a connection of the pool included.',
      ),
    ),
    busy: new Gauge(
      named(
        'database_connections_busy',
        'Connections of all processes of the service to the database that are in use.',
      ),
    ),
    open: new Gauge(
      named('database_connections_open', 'Connections of all processes of the service to the database.'),
    ),
    waiting: new Gauge(
      named('deliveries_waiting', 'Deliveries that wait, for their turn or the next attempt.'),
    ),
    oldestDueS: new Gauge(
      named(
        'deliveries_oldest_due_age_seconds',
        'For how long the delivery that is due longest has been due.',
      ),
    ),
    longestFailingS: new Gauge(
      named(
        'endpoints_longest_failing_seconds',
        'For how long the address that fails longest has taken nothing.',
      ),
    ),
  } satisfies Record<keyof DatabaseFigures, Gauge>
  new Gauge(named('database_connections_max', 'Connections that this process holds at most.')).set(
    poolSize + queueConnections,
  )
  collectDefaultMetrics({ register: registry })

  // One at a time: while the database is away, questions must not pile up.
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
  // After it, so that it is not counted.
  return { ...backlog, answerS, ...(await countConnections(db)) }
}

/**
 * Returns the connections to the database, without the one that asks. The driver does not tell of its own,
 * nor PostgreSQL whose process a connection is.
 */
async function countConnections(db: Database): Promise<{ busy: number; open: number }> {
  const [connections] = await db.$client<[{ busy: number; open: number }]>`
    select count(*) filter (where state <> 'idle' and pid <> pg_backend_pid())::float8 as busy, count(*)::float8 as open
    from pg_stat_activity where datname = current_database() and application_name = current_setting('application_name')`
  return connections
}

/** Returns what is asked for, or null when it does not come in time or at all. */
async function inTime<T>(asked: Promise<T>): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, databasePatienceMs, null)
  try {
    return await Promise.race([asked.catch(() => null), late])
  } finally {
    clearTimeout(timer)
  }
}
