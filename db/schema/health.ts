import { doublePrecision, integer, pgTable, timestamp } from 'drizzle-orm/pg-core'

/** Traffic and lag by hour. */
export const healthHours = pgTable('health_hours', {
  /** The start of the hour. */
  hour: timestamp({ withTimezone: true }).primaryKey(),
  /** Requests with a token. */
  requests: integer().notNull().default(0),
  /** Requests with a status of 400 or more. */
  errors: integer().notNull().default(0),
  /** Delivery attempts, and failed ones. */
  attempts: integer().notNull().default(0),
  failures: integer().notNull().default(0),
  /** The maximum overdue time of a delivery, in seconds. */
  deliveryLagS: doublePrecision('delivery_lag_s').notNull().default(0),
  /** The maximum lag of a source, in seconds. */
  sourceLagS: doublePrecision('source_lag_s').notNull().default(0),
})
