import { and, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { links, mails } from '#db/schema/accounts.ts'

// An attempt takes at most half a minute. If the process is killed, another process takes over after this
// time.
const lease = sql`now() + interval '2 minutes'`

/** A new e-mail, whose content is encrypted. */
interface NewMail {
  recipient: string
  encrypted: string
  /** The hash of the link in the e-mail, if any. */
  linkHash: string | null
  expiresAt: Date
  /** True if the caller makes the first attempt. */
  isAttempted: boolean
}

/** A stored e-mail that is about to be sent. */
export interface StoredMail {
  id: number
  recipient: string
  encrypted: string
  expiresAt: Date
  /** Number of attempts, including the current one. */
  attempts: number
}

/**
 * Inserts an e-mail, and a job that sends it: immediately, or later if the caller makes the first attempt.
 * Returns the e-mail's ID, or null if the link in the e-mail has been replaced.
 * @system the mailer
 */
export async function insertMail(db: Database | Transaction, mail: NewMail): Promise<number | null> {
  const [row] = await db.execute<{ id: number }>(sql`
    with mail as (
      insert into mails (recipient, encrypted, link_hash, expires_at, attempts, due_at)
      select ${mail.recipient}, ${mail.encrypted}, ${mail.linkHash}, ${mail.expiresAt.toISOString()}::timestamptz,
        ${mail.isAttempted ? 1 : 0}::integer, ${mail.isAttempted ? lease : sql`now()`}
      where ${mail.linkHash}::text is null
        or exists (select from ${links} where hash = ${mail.linkHash} for key share)
      returning id, recipient, due_at)
    select id, send_job('mail', jsonb_build_object('mailId', id), id::text, recipient, due_at) from mail`)
  return row?.id ?? null
}

/**
 * Starts an attempt to send an e-mail. Returns null if the e-mail was already sent or has failed permanently.
 * @system the worker
 */
export async function takeMail(db: Database, id: number): Promise<StoredMail | null> {
  const [mail] = await db
    .update(mails)
    .set({ attempts: sql`${mails.attempts} + 1` })
    .where(and(eq(mails.id, id), isNotNull(mails.dueAt)))
    .returning({
      id: mails.id,
      recipient: mails.recipient,
      encrypted: sql<string>`${mails.encrypted}`,
      expiresAt: mails.expiresAt,
      attempts: mails.attempts,
    })
  return mail ?? null
}

/** Deletes a sent e-mail. @system the mailer */
export async function deleteMail(db: Database, id: number): Promise<void> {
  await db.delete(mails).where(eq(mails.id, id))
}

/**
 * Schedules the next attempt after `waitMs`. If `waitMs` is null, the e-mail has failed and its content is
 * deleted.
 * @system the mailer
 */
export async function postponeMail(
  db: Database,
  id: number,
  problem: string,
  waitMs: number | null,
): Promise<void> {
  await db
    .update(mails)
    .set(
      waitMs === null
        ? { problem, dueAt: null, encrypted: null }
        : { problem, dueAt: sql`now() + ${waitMs} * interval '1 millisecond'` },
    )
    .where(eq(mails.id, id))
}

/** Deletes failed e-mails older than a week. @system the worker */
export async function removeOldMails(db: Database): Promise<void> {
  await db.delete(mails).where(and(isNull(mails.dueAt), lt(mails.createdAt, sql`now() - interval '7 days'`)))
}

/** Numbers of e-mails that wait for another attempt or failed within a week, and the most recent reason. */
export interface MailHealth {
  waiting: number
  failed: number
  problem: string | null
}

/** Returns the state of the mail queue. @system operators */
export async function readMailHealth(db: Database): Promise<MailHealth> {
  const [row] = await db
    .select({
      waiting: sql<number>`(count(*) filter (where ${mails.dueAt} is not null))::integer`,
      failed: sql<number>`(count(*) filter (where ${mails.dueAt} is null))::integer`,
      problem: sql<string | null>`(array_agg(${mails.problem} order by ${mails.id} desc))[1]`,
    })
    .from(mails)
    .where(isNotNull(mails.problem))
  return row!
}
