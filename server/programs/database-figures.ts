import { Gauge, type Registry } from 'prom-client'
import type { Database } from '#db/client.ts'
import { withTimeout } from '../admission/scheduling.ts'
import { type JobCounts, countJobs } from '../jobs/store.ts'
import { readSourceHealth } from '../sources/as-of-store.ts'
import { type Backlog, measureBacklog } from '../webhooks/queue-store.ts'

/** Returns the options of a metric. */
export type Naming = (name: string, help: string) => { name: string; help: string; registers: Registry[] }

// Timeout for database metrics. The collector gives up on the whole scrape after ten seconds.
const databaseTimeoutMs = 1000

/** Creates the metrics that are read from the database. */
export function makeDatabaseFigures(db: Database, named: Naming) {
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
