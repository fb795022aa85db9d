import type { Database, Transaction } from '#db/client.ts'
import { auditEntries } from '#db/schema/audit.ts'
import type { Action } from './action.ts'

/** Something that was done, by whom. */
export type NewEntry = Omit<typeof auditEntries.$inferInsert, 'id' | 'at' | 'action'> & { action: Action }

// What a client calls itself, or a thing is called, may be of any length.
const textMax = 500

/** Writes down what was done. */
export async function insertEntry(db: Database | Transaction, entry: NewEntry): Promise<void> {
  await db.insert(auditEntries).values({ ...entry, subject: entry.subject.slice(0, textMax), who: entry.who.slice(0, textMax) })
}
