import { bigint, boolean, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { partners, users } from './accounts.ts'

/** A file of deals that an operator has uploaded, and what became of it. The file itself is in the data directory. */
export const imports = pgTable('imports', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  fileName: text('file_name').notNull(),
  sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
  /** The partner of every record; null: each record names its own. */
  partnerId: integer('partner_id').references(() => partners.id),
  /** Whether it tells partners by events. */
  events: boolean().notNull(),
  state: text({ enum: ['uploading', 'checking', 'checked', 'importing', 'done', 'failed'] }).notNull(),
  /** Why it failed, in words for the operator. */
  problem: text(),
  /** How much of the file has arrived. */
  receivedBytes: bigint('received_bytes', { mode: 'number' }).notNull().default(0),
  created: integer().notNull().default(0),
  updated: integer().notNull().default(0),
  unchanged: integer().notNull().default(0),
  rejected: integer().notNull().default(0),
  /** The first changes that the check has found, as JSON. */
  sample: text(),
  userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  /** When the process that checks or imports it gave its last sign of life. */
  aliveAt: timestamp('alive_at', { withTimezone: true }),
  finishedAt: timestamp('finished_at', { withTimezone: true }),
})
