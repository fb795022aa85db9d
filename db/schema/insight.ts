import { boolean, date, integer, pgTable } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'

/** Whether a user receives the digest of the week, and the last one that was sent. No row: the default of the role. */
export const weekDigests = pgTable('week_digests', {
  userId: integer('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Null: the default of the role. */
  isOn: boolean('is_on'),
  /** The Monday on which it was sent last, or had nothing to say. */
  sentOn: date('sent_on'),
})
