import { type Job, PgBoss, fromBunSql } from 'pg-boss'
import postgres from 'postgres'
import type { Database } from '#db/client.ts'

/** A job that this process has taken. */
export type LeasedJob = Job<unknown> & {
  retryLimit: number
  /** Negative if its process has ended before. */
  priority: number
  singletonKey: string | null
}

/** pg-boss with a dedicated connection that bypasses a pooler. */
export interface OpenBoss {
  boss: PgBoss
  sql: postgres.Sql
  close(): Promise<void>
}

/** How often the supervisor looks for jobs whose process was killed. */
const superviseS = 10

/** PostgreSQL's number of the type. */
const jsonb = 3802
const toJson = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** The schema of pg-boss. */
const schema = 'pgboss'

/**
 * Opens pg-boss. `isWorker` runs its supervisor and its clock, which report errors and retry in their next pass.
 * @system the worker
 */
export async function openBoss(
  { $client }: Database,
  { isWorker, report }: { isWorker: boolean; report: (error: unknown) => void },
): Promise<OpenBoss> {
  const { options } = $client.direct ?? $client
  // The driver accepts parsed options, missing from its types.
  const own = {
    ...options,
    max: 1,
    idle_timeout: null,
    // Drizzle passes JSON on as text; pg-boss also passes objects.
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
    // A little less, so that a pass that begins a moment early finds that it is due.
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
      // Ends a silent connection, for which the stop would wait.
      await sql.end({ timeout: 1 })
      await stopped
    },
  }
}
