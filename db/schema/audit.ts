import { bigint, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { partners, users } from './accounts.ts'

/**
 * The audit log of who did what, and when. Entries are written in the transaction of the action and never
 * changed.
 */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp({ withTimezone: true }).notNull().defaultNow(),
    /** The affected partner, or null for the installer or for several partners. */
    partnerId: integer('partner_id').references(() => partners.id),
    action: text().notNull(),
    subject: text().notNull(),
    /** Name of the actor at the time: an e-mail address, a token's label, or the operator's command. */
    who: text().notNull(),
    /** The user, or null once the account is deleted. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** IP address of the client, or null for a command. */
    address: text(),
  },
  (entry) => [index().on(entry.partnerId, entry.id), index().on(entry.userId)],
)
