import type { ISql } from 'postgres'
import type { JobData, JobKind } from './kinds.ts'

export interface NewJob<Kind extends JobKind> {
  data: JobData[Kind]
  /** Jobs with the same key are merged if the policy of their kind says so. */
  key?: string | number
  /** The group that the job belongs to. Groups do not delay each other. */
  group?: string | number
  dueAt?: Date | null
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
 * Deletes the waiting jobs of a group, in the transaction of a job that does their work.
 * @system other rooms
 */
export async function absorbJobs(sql: ISql, kind: JobKind, group: string | number): Promise<void> {
  await sql`delete from pgboss.job where name = ${kind} and group_id = ${String(group)} and state = 'created'`
}

/**
 * Sends jobs for rows that need one but have none, after an upgrade or a restore. Rows with a dead job get no
 * new job, nor do stored mails without a mail server (`hasMail`), which could not be sent.
 * @system the worker
 */
export async function sendMissingJobs(sql: ISql, hasMail: boolean): Promise<void> {
  await sql`
    with waiting (kind, name_of_id, id, key, "group", due_at) as (
      select 'mail', 'mailId', id, id::text, recipient, due_at from mails where ${hasMail} and due_at is not null
      union all
      select 'notification-' || channel, 'deliveryId', id, id::text, user_id::text, due_at
      from notification_deliveries where due_at is not null
      union all
      select 'notify-of-events', 'partnerId', list.id, null, list.id::text, now()
      from deal_lists list left join notification_cursors cursor on cursor.partner_id = list.id
      where list.id > 0 and list.last_sequence > coalesce(cursor.sequence, 0)
      union all
      select 'team-post', 'channelId', id, id::text, partner_id::text, now() from team_channels channel
      where switched_off_at is null and exists (select from channel_news where channel_id = channel.id)
      union all
      select 'question-mail', 'threadId', id, id::text, partner_id::text, now() from threads
      where ${hasMail} and exists (select from messages where thread_id = threads.id and mail_due_at is not null)
      union all
      select 'read-source', 'sourceId', id, id::text, id::text, next_at from sources where paused_at is null)
    select send_job(kind, jsonb_build_object(name_of_id, id), key, "group", due_at) from waiting
    where not exists (
      select from pgboss.job job where job.name = kind and coalesce(singleton_key, group_id) = coalesce(key, "group"))`
}
