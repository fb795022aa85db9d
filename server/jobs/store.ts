import { type SQL, sql as drizzleSql } from 'drizzle-orm'
import { fromBunSql } from 'pg-boss'
import type { ISql } from 'postgres'
import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import type { Outcome } from './attempt-job.ts'
import { type JobKind, jobKindNames, policyOf } from './kinds.ts'
import type { OpenBoss, LeasedJob } from './open-boss.ts'

/** Returns the kinds of jobs that are due. @system the worker */
export async function findDueKinds(sql: ISql, kinds: readonly JobKind[]): Promise<JobKind[]> {
  const rows = await sql<{ kind: JobKind }[]>`
    select kind from unnest(${[...kinds]}::text[]) as kind
    where exists (
      select from pgboss.job
      where name = kind and state in ('created', 'retry') and not blocked and start_after <= now())`
  return rows.map(({ kind }) => kind)
}

/** Maximum time, in milliseconds, that a paused process can keep others from taking jobs. */
const pausedMaxMs = '5000'

/** Takes up to `count` due jobs, within the limit of each group across all processes. @system the worker */
export async function takeJobs({ boss, sql }: OpenBoss, kind: JobKind, count: number): Promise<LeasedJob[]> {
  const { perGroup } = policyOf(kind)
  const options = { batchSize: count, includeMetadata: true } as const
  if (perGroup === undefined) return (await boss.fetch(kind, options)) as LeasedJob[]
  return sql.begin(async (tx) => {
    // Locked, so that each process sees the jobs that others have taken.
    await tx`
      select set_config('idle_in_transaction_session_timeout', ${pausedMaxMs}, true),
        pg_advisory_xact_lock(hashtextextended(${`jobs ${kind}`}, 0))`
    const db = fromBunSql(tx as never)
    return (await boss.fetch(kind, { ...options, groupConcurrency: perGroup, db })) as LeasedJob[]
  }) as Promise<LeasedJob[]>
}

/** Returns a condition: a live process is running a job of this kind for the group. */
export const isJobRunning = (kind: JobKind, group: SQL): SQL => drizzleSql`exists (
  select from pgboss.job where name = ${kind} and group_id = ${group} and state = 'active'
    and heartbeat_on > now() - heartbeat_seconds * interval '1 second')`

/** Returns a condition: a job with this key is waiting or running. */
export const hasJob = (kind: JobKind, key: SQL): SQL => drizzleSql`exists (
  select from pgboss.job where name = ${kind} and singleton_key = ${key} and state <= 'active')`

/** Number of times that a process may die while running a job before the job is dead. */
export const lossesMax = 3

/** Maximum number of dead jobs that a process remembers. */
const deadMax = 10_000

/**
 * Waits before a job whose process died is retried. There is none at first, because the process may have died
 * for another reason.
 */
const lossWaitsS = [0, 60]

/** Spreads the retries of jobs whose process died, in order to find the job at fault. */
const spreadS = 10

/**
 * Takes over the jobs of dead processes, which does not count as an attempt. Gives these jobs a negative
 * priority, so that they run after others. Each start lowers the priority further (`recordSuspect`), and
 * after `lossesMax` starts the job is dead. Returns the ids of such dead jobs by `likenessOf`.
 * @system the worker
 */
export async function takeOverLostJobs(sql: ISql): Promise<ReadonlyMap<string, string>> {
  const isLast = sql`priority <= ${-lossesMax}`
  const losses = sql`greatest(-priority, 1)`
  await sql`
    update pgboss.job set priority = least(priority, -1), retry_count = greatest(retry_count - 1, 0),
      state = case when ${isLast} then 'failed' else 'retry' end::pgboss.job_state,
      completed_on = case when ${isLast} then now() end,
      start_after = now() + random() * ${spreadS} * interval '1 second'
        + coalesce((${lossWaitsS}::integer[])[${losses}], 0) * interval '1 second',
      output = jsonb_build_object('problem',
        format('the process ended while running it (%s of %s times)', ${losses}, ${lossesMax}::integer))
    where name = any(${jobKindNames}::text[]) and state in ('retry', 'failed') and not blocked
      and output @> '{"value":{"message":"job heartbeat timeout"}}'`
  const dead = await sql<{ id: string; kind: JobKind; key: string | null; data: unknown }[]>`
    select id::text, name as kind, singleton_key as key, data from pgboss.job
    where name = any(${jobKindNames}::text[]) and state = 'failed' and priority <= ${-lossesMax} limit ${deadMax}`
  return new Map(dead.map(({ id, kind, key, data }) => [likenessOf(kind, key, data), id]))
}

/** Records the start of a job whose process has died before. @system the worker */
export async function recordSuspect(sql: ISql, kind: JobKind, { id, priority }: LeasedJob): Promise<void> {
  await sql`update pgboss.job set priority = ${priority - 1} where name = ${kind} and id = ${id}`
}

/** Returns a key that identical jobs share. */
export const likenessOf = (kind: JobKind, key: string | null, data: unknown): string =>
  `${kind} ${key ?? JSON.stringify(data)}`

/**
 * Records the outcomes of attempts, except for jobs that other processes have taken over.
 * @system the worker
 */
export async function settleJobs({ boss, sql }: OpenBoss, outcomes: readonly Outcome[]): Promise<void> {
  const {
    done = [],
    stopped = [],
    others = [],
  } = Object.groupBy(outcomes, ({ result }) =>
    result === 'done' || result === 'stopped' ? result : 'others',
  )
  for (const [kind, own] of Map.groupBy(done, (outcome) => outcome.kind)) {
    const jobs = own.map(({ job }) => job)
    // A completed periodic job is kept for a while, so that no other process sends the same occurrence again.
    await (policyOf(kind).cron === undefined ? boss.deleteJob(kind, jobs) : boss.complete(kind, jobs))
  }
  if (stopped.length > 0) await releaseJobs(sql, stopped)
  for (const { kind, job, problem, waitMs } of others) {
    await boss.fail(kind, job, { problem })
    // The priority is reset, because a job that fails did not kill its process this time.
    if (waitMs > 0 || job.priority < 0)
      await sql`
        update pgboss.job set priority = 0,
          start_after = greatest(start_after, now() + ${waitMs} * interval '1 millisecond')
        where name = ${kind} and id = ${job.id} and state in ('retry', 'failed')`
  }
}

/**
 * Releases jobs, which does not count as an attempt. Uses one statement, because waiting jobs are released
 * repeatedly.
 */
async function releaseJobs(sql: ISql, outcomes: readonly Outcome[]): Promise<void> {
  const rows = outcomes.map(({ kind, job, problem, waitMs }) => {
    const { id, priority, retryCount } = job
    return { kind, id, priority, retryCount, problem, waitMs }
  })
  await sql`
    update pgboss.job set state = 'retry', priority = own.priority, output = jsonb_build_object('problem', problem),
      start_after = now() + "waitMs" * interval '1 millisecond', retry_count = greatest(retry_count - 1, 0)
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as own (kind text, id uuid, priority integer, "retryCount" integer, problem text, "waitMs" float8)
    where name = kind and job.id = own.id and state = 'active' and retry_count = "retryCount"
    returning case when start_after <= now() then pg_notify('jobs', name) end`
}

/** The number of jobs of a kind by state. */
export interface JobCounts {
  kind: JobKind
  /** Includes jobs that are due later. */
  waiting: number
  running: number
  /** Waiting for a retry. */
  failing: number
  /** Out of retries. */
  dead: number
  /** Number of seconds that the oldest due job has been due, or null if no job is due. */
  oldestDueS: number | null
}

/** Returns the number of jobs of each kind. @system operators */
export async function countJobs({ $client: sql }: Database): Promise<JobCounts[]> {
  return sql<JobCounts[]>`
    select kind, coalesce(waiting, 0) as waiting, coalesce(running, 0) as running,
      coalesce(failing, 0) as failing, coalesce(dead, 0) as dead, "oldestDueS"
    from unnest(${jobKindNames}::text[]) with ordinality as kinds (kind, position)
    left join (
      select name,
        count(*) filter (where state in ('created', 'retry'))::integer as waiting,
        count(*) filter (where state = 'active')::integer as running,
        count(*) filter (where state = 'retry')::integer as failing,
        count(*) filter (where state = 'failed')::integer as dead,
        extract(epoch from now() - min(start_after)
          filter (where state in ('created', 'retry') and start_after <= now()))::float8 as "oldestDueS"
      from pgboss.job where state in ('created', 'retry', 'active', 'failed') group by name) jobs
      on jobs.name = kind
    order by position`
}

export interface FailedJob {
  id: string
  kind: JobKind
  state: 'failing' | 'dead'
  attempts: number
  createdAt: Date
  nextAt: Date | null
  problem: string | null
}

/** Returns failed jobs, dead jobs first. @system operators */
export async function listFailedJobs(
  { $client: sql }: Database,
  { kind, limit }: { kind: JobKind | null; limit: number },
): Promise<FailedJob[]> {
  const rows = await sql<
    (Omit<FailedJob, 'createdAt' | 'nextAt'> & { createdMs: number; nextMs: number | null })[]
  >`
    select id::text, name as kind, case state when 'failed' then 'dead' else 'failing' end as state,
      retry_count + 1 as attempts, extract(epoch from created_on)::float8 * 1000 as "createdMs",
      extract(epoch from case state when 'retry' then start_after end)::float8 * 1000 as "nextMs",
      output ->> 'problem' as problem
    from pgboss.job
    where state in ('retry', 'failed') and name = any(${kind === null ? jobKindNames : [kind]}::text[])
    order by job.state desc, created_on desc limit ${limit}`
  return rows.map(({ createdMs, nextMs, ...job }) => ({
    ...job,
    createdAt: new Date(createdMs),
    nextAt: nextMs === null ? null : new Date(nextMs),
  }))
}

/** Makes failed and dead jobs due now. Returns the kind of each job. @system operators */
export async function retryJobs(tx: Transaction, ids: readonly string[]): Promise<JobKind[]> {
  const rows = await driverTransaction(tx)<{ kind: JobKind }[]>`
    update pgboss.job set state = 'retry', completed_on = null, start_after = now(),
      retry_limit = greatest(retry_limit, retry_count + 1), priority = 0
    where id = any(${[...ids]}::uuid[]) and state in ('retry', 'failed')
    returning name as kind, pg_notify('jobs', name)`
  return rows.map(({ kind }) => kind)
}

/** Deletes failed and dead jobs. Returns the kind of each job. @system operators */
export async function discardJobs(tx: Transaction, ids: readonly string[]): Promise<JobKind[]> {
  const rows = await driverTransaction(tx)<{ kind: JobKind }[]>`
    delete from pgboss.job where id = any(${[...ids]}::uuid[]) and state in ('retry', 'failed')
    returning name as kind`
  return rows.map(({ kind }) => kind)
}
