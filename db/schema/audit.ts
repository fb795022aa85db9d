import { bigint, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { partners, users } from './accounts.ts'

/** Who did what, and when. Written in the transaction of what was done; never changed. */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp({ withTimezone: true }).notNull().defaultNow(),
    /** Whose things it was done to; null: the installer's own, or those of several partners. */
    partnerId: integer('partner_id').references(() => partners.id),
    action: text().notNull(),
    /** What it was done to, as people call it; empty when the action says it all. */
    subject: text().notNull(),
    /** Who did it, as they were called then: an address, a token's name and prefix, or the operator's command. */
    who: text().notNull(),
    /** The user, while there is one. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** The network address that it was done from; null for a command. */
    address: text(),
  },
  (entry) => [index().on(entry.partnerId, entry.id), index().on(entry.userId)],
)
