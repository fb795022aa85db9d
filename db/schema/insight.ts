import { boolean, date, integer, pgTable } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'

/**
 * A user's choice to receive the weekly digest, and when it was last sent. Without a row, the default of the
 * user's role applies.
 */
export const weekDigests = pgTable('week_digests', {
  userId: integer('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Null for the default of the user's role. */
  isOn: boolean('is_on'),
  /** The Monday on which the digest was last sent, or was skipped because it was empty. */
  sentOn: date('sent_on'),
})
