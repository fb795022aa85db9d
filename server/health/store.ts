import { randomUUID, randomBytes } from 'node:crypto'
import { asc, count, desc, eq, gt, isNotNull, lte, or, sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import { installation } from '#db/schema/health.ts'
import { attempts, endpoints, workers } from '#db/schema/webhooks.ts'
import type { Background } from '../admission/background.ts'
import { decryptFor, encryptFor } from '../values/encryption.ts'
import { currentHealthOf } from '../webhooks/health.ts'
import { slowedForMs } from '../webhooks/policy.ts'

/** Counting stops above this number. */
export const countMax = 100_000

const limit = sql.raw(String(countMax + 1))

/** Returns the database's response time, version, size and migration. @system operators */
export async function readDatabase(db: Database) {
  const began = performance.now()
  await db.execute(sql`select 1`)
  const answerMs = performance.now() - began
  const [row] = await db.execute<{
    version: string
    sizeBytes: number
    connections: number
    connectionsMax: number
    migration: number
  }>(sql`
    select current_setting('server_version') as version,
      pg_database_size(current_database())::float8 as "sizeBytes",
      (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as connections,
      current_setting('max_connections')::integer as "connectionsMax",
      -- Migrations are numbered from 0.
      (select count(*)::integer - 1 from drizzle.__drizzle_migrations) as migration`)
  return { answerMs, ...row! }
}

/** Returns the workers with a heartbeat within the last 30 seconds, oldest first. @system operators */
export function readWorkers(db: Database) {
  return db
    .select()
    .from(workers)
    .where(gt(workers.seenAt, sql`now() - interval '30 seconds'`))
    .orderBy(asc(workers.startedAt))
}

const heartbeatMs = 10_000

/**
 * Records a heartbeat of this worker every 10 seconds until it is stopped. `background` runs the writes, and
 * shutdown waits for them.
 * @system the worker
 */
export function startHeartbeat(db: Database, background: Background): { stop(): void } {
  const id = randomUUID()
  let isStopping = false
  // Statements run in sequence: a heartbeat after the final deletion would insert the worker again.
  let last: Promise<unknown> = Promise.resolve()
  const beat = () =>
    background('timer', 'heartbeat', () => (last = isStopping ? Promise.resolve() : recordWorker(db, id)))
  beat()
  const timer = setInterval(beat, heartbeatMs)
  return {
    stop() {
      isStopping = true
      clearInterval(timer)
      background('timer', 'last heartbeat', () => last.catch(() => {}).then(() => removeWorker(db, id)))
    },
  }
}

/** Records a worker's heartbeat. Deletes workers that have sent no heartbeat for a day. @system the worker */
async function recordWorker(db: Database, id: string): Promise<void> {
  await db.delete(workers).where(lte(workers.seenAt, sql`now() - interval '1 day'`))
  await db
    .insert(workers)
    .values({ id })
    .onConflictDoUpdate({ target: workers.id, set: { seenAt: sql`now()` } })
}

/** Deletes a worker that has stopped. @system the worker */
async function removeWorker(db: Database, id: string): Promise<void> {
  await db.delete(workers).where(eq(workers.id, id))
}

/**
 * Returns how many deliveries are waiting, due, or held back because their endpoint is disabled, and since
 * when the oldest delivery has been due.
 * @system operators
 */
export async function readQueue(db: Database) {
  const waitingFor = (condition: ReturnType<typeof sql>) => sql`
    (select count(*)::integer from (select from endpoints endpoint
      join deliveries delivery on delivery.partner_id = endpoint.partner_id and delivery.kind = endpoint.kind
      where delivery.state = 'waiting' and delivery.due_at is not null and ${condition}
        limit ${limit}) counted)`
  const [row] = await db.execute<{
    waiting: number
    due: number
    held: number
    oldestDueAt: string | null
  }>(sql`
    select ${waitingFor(sql`endpoint.switched_off_at is null`)} as waiting,
      ${waitingFor(sql`endpoint.switched_off_at is null and delivery.due_at <= now()`)} as due,
      ${waitingFor(sql`endpoint.switched_off_at is not null`)} as held,
      (select min(queue.due_at)::text from endpoints endpoint cross join lateral (
        select due_at from deliveries
          where partner_id = endpoint.partner_id and kind = endpoint.kind and state = 'waiting'
          and due_at is not null
        order by due_at limit 1) queue
      where endpoint.switched_off_at is null and queue.due_at <= now()
        -- Excludes slowed endpoints, which are meant to lag behind.
        and (endpoint.paused_until is null
          or endpoint.paused_until < now() - ${slowedForMs} * interval '1 millisecond')) as "oldestDueAt"`)
  const { oldestDueAt, ...counts } = row!
  return { ...counts, oldestDueAt: oldestDueAt === null ? null : new Date(oldestDueAt) }
}

/** Returns the numbers of attempts and of failed attempts in the last hour. @system operators */
export async function readAttempts(db: Database) {
  const newest = db
    .select({
      isFailed:
        sql<boolean>`(${attempts.status} is null or ${attempts.status} not between 200 and 299 or ${attempts.error} is not null)`.as(
          'is_failed',
        ),
    })
    .from(attempts)
    .where(gt(attempts.startedAt, sql`now() - interval '1 hour'`))
    .orderBy(desc(attempts.startedAt))
    .limit(countMax + 1)
    .as('newest')
  const [row] = await db
    .select({
      hour: count(),
      hourFailed: sql<number>`count(*) filter (where ${newest.isFailed})`.mapWith(Number),
    })
    .from(newest)
  return row!
}

/**
 * Returns failing and disabled endpoints of all partners; those with the longest failures come first.
 * @system operators
 */
export async function readFailingEndpoints(db: Database, max: number) {
  const rows = await db
    .select({ partner: { slug: partners.slug, name: partners.name }, endpoint: endpoints })
    .from(endpoints)
    .innerJoin(partners, eq(partners.id, endpoints.partnerId))
    .where(
      or(
        isNotNull(endpoints.failingSince),
        isNotNull(endpoints.switchedOffAt),
        isNotNull(endpoints.checkAnswer),
      ),
    )
    .orderBy(
      sql`least(${endpoints.failingSince}, ${endpoints.switchedOffAt}, case when ${endpoints.checkAnswer} is not null then ${endpoints.checkedAt} end)`,
      asc(partners.slug),
      asc(endpoints.kind),
    )
    .limit(max)
  return rows.map(({ partner, endpoint }) => ({
    partner,
    kind: endpoint.kind,
    name: endpoint.name,
    because: endpoint.switchedOffBecause,
    health: currentHealthOf(endpoint, new Date()),
  }))
}

/** Returns the time of the last backup, or null if no backup was made. @system operators */
export async function readLastBackup(db: Database): Promise<Date | null> {
  const [row] = await db.select({ at: installation.backedUpAt }).from(installation)
  return row?.at ?? null
}

const owner = 'installation'

/**
 * Checks that the encryption key is the one recorded when the installation first started. Records the key on
 * the first start.
 * @throws DecryptionError
 * @system the start
 */
export async function checkInstallationKey(db: Database, key: Buffer): Promise<void> {
  const read = () => db.select({ keyCheck: installation.keyCheck }).from(installation)
  let [known] = await read()
  if (known?.keyCheck == null) {
    await db
      .insert(installation)
      .values({ keyCheck: encryptFor(owner, '', key, randomBytes) })
      .onConflictDoUpdate({
        target: installation.isOnly,
        set: { keyCheck: sql`coalesce(${installation.keyCheck}, excluded.key_check)` },
      })
    // Another process may have recorded the key first.
    ;[known] = await read()
  }
  decryptFor(owner, known!.keyCheck!, key)
}
