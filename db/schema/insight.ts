import { boolean, date, integer, pgTable } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'

/** Whether a user receives the weekly digest, and the last one sent. No row: the role's default. */
export const weekDigests = pgTable('week_digests', {
  userId: integer('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Null: the role's default. */
  isOn: boolean('is_on'),
  /** The Monday on which it was last sent, or had no content. */
  sentOn: date('sent_on'),
})
