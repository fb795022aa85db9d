import { and, eq, inArray, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { links, mails } from '#db/schema/accounts.ts'

// An attempt takes half a minute at most; after that, another process may take it over from a killed one.
const lease = sql`now() + interval '2 minutes'`

/** A mail to be sent, encrypted. */
interface NewMail {
  recipient: string
  encrypted: string
  /** The hash of the link that it contains, if any. */
  linkHash: string | null
  expiresAt: Date
}

/** A mail leased for an attempt. */
export interface LeasedMail {
  id: number
  recipient: string
  encrypted: string
  expiresAt: Date
  /** With this one. */
  attempts: number
}

/**
 * Inserts a mail, leased for its first attempt. Returns its id, or null if its link has been replaced since.
 * @system the mailer
 */
export async function insertMail(db: Database | Transaction, mail: NewMail): Promise<number | null> {
  const [row] = await db.execute<{ id: number }>(sql`
    insert into mails (recipient, encrypted, link_hash, expires_at, attempts, due_at)
    select ${mail.recipient}, ${mail.encrypted}, ${mail.linkHash}, ${mail.expiresAt.toISOString()}::timestamptz, 1, ${lease}
    where ${mail.linkHash}::text is null
      or exists (select from ${links} where hash = ${mail.linkHash} for key share)
    returning id`)
  return row?.id ?? null
}

/** Leases mails whose next attempt is due, oldest first. @system the worker */
export async function leaseDueMails(db: Database, limit: number): Promise<LeasedMail[]> {
  const due = db
    .select({ id: mails.id })
    .from(mails)
    .where(lte(mails.dueAt, sql`now()`))
    .orderBy(mails.dueAt)
    .limit(limit)
    .for('update', { skipLocked: true })
  return db
    .update(mails)
    .set({ attempts: sql`${mails.attempts} + 1`, dueAt: lease })
    .where(inArray(mails.id, due))
    .returning({
      id: mails.id,
      recipient: mails.recipient,
      encrypted: sql<string>`${mails.encrypted}`,
      expiresAt: mails.expiresAt,
      attempts: mails.attempts,
    })
}

/** Deletes a sent mail. @system the holder of the lease */
export async function deleteMail(db: Database, id: number): Promise<void> {
  await db.delete(mails).where(eq(mails.id, id))
}

/**
 * Plans the next attempt; null: the mail has failed, and its content is deleted.
 * @system the holder of the lease
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

/** Deletes mails that failed more than a week ago. @system the worker */
export async function removeOldMails(db: Database): Promise<void> {
  await db.delete(mails).where(and(isNull(mails.dueAt), lt(mails.createdAt, sql`now() - interval '7 days'`)))
}

/** Mail that waits for another attempt or failed within a week, and the last reason. */
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
