import { bigint, boolean, integer, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { partners, users } from './accounts.ts'

/** A file of deals uploaded by an operator, and its outcome. The file itself is in the data directory. */
export const imports = pgTable('imports', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  fileName: text('file_name').notNull(),
  sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
  /** The partner of all records; null when each record names its own. */
  partnerId: integer('partner_id').references(() => partners.id),
  /** Whether it creates events. */
  events: boolean().notNull(),
  state: text({ enum: ['uploading', 'checking', 'checked', 'importing', 'done', 'failed'] }).notNull(),
  /** Why it failed, as text for the operator. */
  problem: text(),
  /** Bytes received so far. */
  receivedBytes: bigint('received_bytes', { mode: 'number' }).notNull().default(0),
  created: integer().notNull().default(0),
  updated: integer().notNull().default(0),
  unchanged: integer().notNull().default(0),
  rejected: integer().notNull().default(0),
  /** The first changes found by the check, as JSON. */
  sample: text(),
  userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  /** Last heartbeat of the process that checks or imports it. */
  aliveAt: timestamp('alive_at', { withTimezone: true }),
  /** Identifies the run of the process that checks or imports it. */
  claim: uuid(),
  finishedAt: timestamp('finished_at', { withTimezone: true }),
})
