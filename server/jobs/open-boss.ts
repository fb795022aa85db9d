import { type Job, PgBoss, fromBunSql } from 'pg-boss'
import postgres from 'postgres'
import type { Database } from '#db/client.ts'

/** A job that this process has taken. */
export type LeasedJob = Job<unknown> & {
  retryLimit: number
  /** Negative if a process has died while running the job. */
  priority: number
  singletonKey: string | null
}

/** pg-boss with a dedicated connection that bypasses the pooler. */
export interface OpenBoss {
  boss: PgBoss
  sql: postgres.Sql
  close(): Promise<void>
}

/** Interval at which the supervisor looks for jobs of killed processes, in seconds. */
const superviseS = 10

/** The OID of the type in PostgreSQL. */
const jsonb = 3802
const toJson = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** The database schema of pg-boss. */
const schema = 'pgboss'

/**
 * Opens pg-boss. If `isWorker`, runs its supervisor and scheduler, which report errors and try again in their
 * next pass.
 * @system the worker
 */
export async function openBoss(
  { $client }: Database,
  { isWorker, report }: { isWorker: boolean; report: (error: unknown) => void },
): Promise<OpenBoss> {
  const { options } = $client.direct ?? $client
  // The driver accepts parsed options, but its types lack them.
  const own = {
    ...options,
    max: 1,
    idle_timeout: null,
    // Drizzle passes JSON as text, while pg-boss passes objects.
    serializers: { ...options.serializers, [jsonb]: toJson },
  }
  const sql = postgres(own as object as postgres.Options<{}>)
  const boss = new PgBoss({
    db: fromBunSql(sql as never),
    schema,
    migrate: false,
    createSchema: false,
    registerInstance: false,
    persistWarnings: false,
    monitorVacuum: false,
    openTelemetry: { enabled: false },
    supervise: isWorker,
    schedule: isWorker,
    superviseIntervalSeconds: superviseS,
    // Slightly less than the interval, so that a pass that begins a moment early still monitors the queues.
    monitorIntervalSeconds: superviseS - 1,
  })
  boss.on('error', report)
  try {
    await boss.start()
  } catch (error) {
    await sql.end({ timeout: 1 })
    throw error
  }
  return {
    boss,
    sql,
    async close() {
      const stopped = boss.stop({ graceful: false, close: false })
      // Closes a silent connection, which stopping would wait for.
      await sql.end({ timeout: 1 })
      await stopped
    },
  }
}
