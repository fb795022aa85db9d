import type { ISql } from 'postgres'
import type { JobData, JobKind } from './kinds.ts'

/** A job to send. */
export interface NewJob<Kind extends JobKind> {
  data: JobData[Kind]
  /** Jobs with the same key are one, as the kind's queue says. */
  key?: string | number
  /** Whom the job is for: one group cannot delay another. */
  group?: string | number
  /** When it is due; now by default. */
  dueAt?: Date
}

/** Sends jobs in the transaction that causes them. @system other rooms */
export async function sendJobs<Kind extends JobKind>(
  sql: ISql,
  kind: Kind,
  jobs: readonly NewJob<Kind>[],
): Promise<void> {
  if (jobs.length === 0) return
  const rows = jobs.map(({ data, key, group, dueAt }) => ({
    data,
    key: key?.toString(),
    group: group?.toString(),
    dueAt: dueAt?.toISOString(),
  }))
  await sql`
    select send_job(${kind}, job.data, job.key, job."group", coalesce(job."dueAt", now()))
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as job (data jsonb, key text, "group" text, "dueAt" timestamptz)`
}

/** Sends a job in the transaction that causes it. @system other rooms */
export const sendJob = <Kind extends JobKind>(sql: ISql, kind: Kind, job: NewJob<Kind>): Promise<void> =>
  sendJobs(sql, kind, [job])

/**
 * Deletes the jobs of a group that wait, in the transaction of a job that then does their work. @system other rooms
 */
export async function absorbJobs(sql: ISql, kind: JobKind, group: string | number): Promise<void> {
  await sql`delete from pgboss.job where name = ${kind} and group_id = ${String(group)} and state = 'created'`
}
