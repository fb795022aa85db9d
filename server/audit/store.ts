import { type SQL, and, desc, eq, gte, lt, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import { auditEntries } from '#db/schema/audit.ts'
import type { Reach } from '../accounts/partner.ts'
import type { Action } from './action.ts'

/** Something that was done, by whom. */
export type NewEntry = Omit<typeof auditEntries.$inferInsert, 'id' | 'at' | 'action'> & { action: Action }

// What a client calls itself, or a thing is called, may be of any length.
const textMax = 500

/** Writes down what was done. @system audited.ts, which knows whose things were changed */
export async function insertEntry(db: Database | Transaction, entry: NewEntry): Promise<void> {
  // Somebody may have removed themselves.
  const userId = entry.userId == null ? null : sql`(select id from users where id = ${entry.userId})`
  await db
    .insert(auditEntries)
    .values({ ...entry, userId, subject: entry.subject.slice(0, textMax), who: entry.who.slice(0, textMax) })
}

/** Which entries are asked for. */
export interface EntryFilter {
  action?: Action | undefined
  /** A part of who did it, or of what it was done to. */
  text?: string | undefined
  /** Done at this time or later. */
  since?: Date | undefined
  /** Done before this time. */
  until?: Date | undefined
}

/** Something that was done, as it is read. */
export interface Entry {
  id: number
  at: Date
  /** One of `actions`, or one that an older version had. */
  action: string
  subject: string
  who: string
  address: string | null
  /** Name of the partner whose things it was done to; null: the installer's own. */
  partner: string | null
}

/** Returns what was done within reach, the newest first: those behind the entry `behind`, up to `limit`. */
export async function readEntries(
  db: Database,
  reach: Reach,
  filter: EntryFilter,
  { behind, limit }: { behind: number | null; limit: number },
): Promise<Entry[]> {
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

/** Returns all that match, some at a time, the newest first. */
export async function* readAll(db: Database, reach: Reach, filter: EntryFilter): AsyncGenerator<Entry[]> {
  for (let behind: number | null = null; ;) {
    const entries = await readEntries(db, reach, filter, { behind, limit: someAtOnce })
    if (entries.length > 0) yield entries
    if (entries.length < someAtOnce) return
    behind = entries.at(-1)!.id
  }
}
