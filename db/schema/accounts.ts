import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** A dealer who sells and waits to be paid. Everything a partner may see hangs on its id. */
export const partners = pgTable('partners', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  slug: text().notNull().unique(),
  name: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
})
