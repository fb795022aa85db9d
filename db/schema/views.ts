import { boolean, index, integer, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core'
import { partners, users } from './accounts.ts'

/** A view of the deals that somebody has given a name: what to show, in which order. */
export const views = pgTable(
  'views',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /** Whose deals it was made over; null: an operator's, over all partners. */
    partnerId: integer('partner_id').references(() => partners.id),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** The search part of the address of the deals page. */
    query: text().notNull(),
    /** Whether the whole team has it. */
    isShared: boolean('is_shared').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (view) => [
    unique().on(view.userId, view.partnerId, view.name).nullsNotDistinct(),
    index().on(view.partnerId),
  ],
)
