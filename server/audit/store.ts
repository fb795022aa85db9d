import { type SQL, and, desc, eq, gte, lt, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import { auditEntries } from '#db/schema/audit.ts'
import type { Reach } from '../accounts/partner.ts'
import type { Action } from './action.ts'

/** A new audit entry. */
export type NewEntry = Omit<typeof auditEntries.$inferInsert, 'id' | 'action'> & { action: Action }

// A `User-Agent` or a name can have any length.
const textMax = 500

/** Writes an audit entry. @system audited.ts, which knows whose things were changed */
export async function insertEntry(db: Database | Transaction, entry: NewEntry): Promise<void> {
  // Users may have removed themselves.
  const userId = entry.userId == null ? null : sql`(select id from users where id = ${entry.userId})`
  await db
    .insert(auditEntries)
    .values({ ...entry, userId, subject: entry.subject.slice(0, textMax), who: entry.who.slice(0, textMax) })
}

/** A filter of audit entries. */
export interface EntryFilter {
  action?: Action | undefined
  /** Part of the actor or the subject. */
  text?: string | undefined
  /** Done at this time or later. */
  since?: Date | undefined
  /** Done before this time. */
  until?: Date | undefined
}

/** An audit entry. */
export interface StoredEntry {
  id: number
  at: Date
  /** One of `actions`, or one of an older version. */
  action: string
  subject: string
  who: string
  address: string | null
  /** Name of the partner affected; null for the installer. */
  partner: string | null
}

/** Returns up to `limit` audit entries within reach, newest first, after the entry `behind`. */
export async function readEntries(
  db: Database,
  reach: Reach,
  filter: EntryFilter,
  { behind, limit }: { behind: number | null; limit: number },
): Promise<StoredEntry[]> {
  const { action, text, since, until } = filter
  const { id, at, subject, who, address } = auditEntries
  return db
    .select({ id, at, action: auditEntries.action, subject, who, address, partner: partners.name })
    .from(auditEntries)
    .leftJoin(partners, eq(partners.id, auditEntries.partnerId))
    .where(
      and(
        reach === 0 ? undefined : eq(auditEntries.partnerId, reach),
        behind === null ? undefined : lt(id, behind),
        action === undefined ? undefined : eq(auditEntries.action, action),
        text === undefined ? undefined : or(holds(sql`${who}`, text), holds(sql`${subject}`, text)),
        since === undefined ? undefined : gte(at, since),
        until === undefined ? undefined : lt(at, until),
      ),
    )
    .orderBy(desc(id))
    .limit(limit)
}

const holds = (where: SQL, text: string) => sql`position(lower(${text}) in lower(${where})) > 0`

const someAtOnce = 500

/** Yields all matching entries in batches, newest first. */
export async function* readAll(
  db: Database,
  reach: Reach,
  filter: EntryFilter,
): AsyncGenerator<StoredEntry[]> {
  for (let behind: number | null = null; ;) {
    const entries = await readEntries(db, reach, filter, { behind, limit: someAtOnce })
    if (entries.length > 0) yield entries
    if (entries.length < someAtOnce) return
    behind = entries.at(-1)!.id
  }
}
