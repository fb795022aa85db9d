import { sql } from 'drizzle-orm'
import { boolean, check, doublePrecision, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { instant } from './accounts.ts'

/** Traffic and lag by hour. */
export const healthHours = pgTable('health_hours', {
  hour: timestamp({ withTimezone: true }).primaryKey(),
  requests: integer().notNull().default(0),
  /** Number of requests with a status of 400 or more. */
  errors: integer().notNull().default(0),
  /** Number of delivery attempts, and of failed attempts. */
  attempts: integer().notNull().default(0),
  failures: integer().notNull().default(0),
  /** Longest time by which a delivery was overdue, in seconds. */
  deliveryLagS: doublePrecision('delivery_lag_s').notNull().default(0),
  /** Maximum lag of a source in seconds. */
  sourceLagS: doublePrecision('source_lag_s').notNull().default(0),
})

/** Facts about the whole installation, in one row. */
export const installation = pgTable(
  'installation',
  {
    isOnly: boolean('is_only').primaryKey().default(true),
    /** A known text, encrypted with the key of the first start. Decryption fails if the key has changed. */
    keyCheck: text('key_check'),
    backedUpAt: instant('backed_up_at'),
  },
  (table) => [check('installation_is_only', sql`${table.isOnly}`)],
)
