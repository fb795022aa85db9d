import { bigint, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { partners, users } from './accounts.ts'

/** The audit log: who did what, and when. Written in the transaction of the action; never changed. */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp({ withTimezone: true }).notNull().defaultNow(),
    /** The partner affected; null for the installer, or for several partners. */
    partnerId: integer('partner_id').references(() => partners.id),
    action: text().notNull(),
    /** The name of the subject; empty if the action needs none. */
    subject: text().notNull(),
    /** The actor's name at the time: an e-mail address, a token's label, or the operator's command. */
    who: text().notNull(),
    /** The user, while the account exists. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** The IP address of the client; null for a command. */
    address: text(),
  },
  (entry) => [index().on(entry.partnerId, entry.id), index().on(entry.userId)],
)
