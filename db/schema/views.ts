import { boolean, index, integer, pgTable, text, unique } from 'drizzle-orm/pg-core'
import { instant, partners, userRef } from './accounts.ts'

/** A named view of the deals: filters, sort order, and columns. */
export const views = pgTable(
  'views',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /** The partner whose deals the view shows, or null for an operator's view of all partners. */
    partnerId: integer('partner_id').references(() => partners.id),
    userId: userRef(),
    name: text().notNull(),
    /** Query string of the deals page. */
    query: text().notNull(),
    isShared: boolean('is_shared').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (view) => [
    unique().on(view.userId, view.partnerId, view.name).nullsNotDistinct(),
    index().on(view.partnerId),
  ],
)
