import { integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { partners } from './accounts.ts'

/** One of the two addresses of a partner that events are sent to. No row: not set. */
export const endpoints = pgTable('endpoints', {
  partnerId: integer('partner_id').notNull().references(() => partners.id),
  kind: text({ enum: ['create', 'update'] }).notNull(),
  url: text().notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
}, (endpoint) => [primaryKey({ columns: [endpoint.partnerId, endpoint.kind] })])
