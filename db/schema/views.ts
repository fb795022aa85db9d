import { boolean, index, integer, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core'
import { partners, users } from './accounts.ts'

/** A named view of the deals: filters, sort order, and columns. */
export const views = pgTable(
  'views',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /** The partner whose deals the view shows, or null for an operator's view of all partners. */
    partnerId: integer('partner_id').references(() => partners.id),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** Query string of the deals page. */
    query: text().notNull(),
    /** True if the view is shared with the team. */
    isShared: boolean('is_shared').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (view) => [
    unique().on(view.userId, view.partnerId, view.name).nullsNotDistinct(),
    index().on(view.partnerId),
  ],
)
