import {
  type AnyPgColumn,
  bigint,
  boolean,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import { partners, users } from './accounts.ts'

/** An import of deals and its outcome. */
export const imports = pgTable('imports', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  /** The origin of its records. */
  origin: text({ enum: ['upload', 'command', 'undo'] })
    .notNull()
    .default('upload'),
  /** The import that it undoes. */
  undoes: integer().references((): AnyPgColumn => imports.id),
  /** The import whose rejected rows it corrects; also null if that was discarded. */
  corrects: integer().references((): AnyPgColumn => imports.id, { onDelete: 'set null' }),
  fileName: text('file_name').notNull(),
  /** The sheet of a workbook to read; null: the first. */
  sheet: text(),
  /** The header row, from 1; null: detected. */
  headerRow: integer('header_row'),
  /** Whether dates such as 3/4/2026 are day first; null: detected from the file. */
  dayFirst: boolean('day_first'),
  /** The encoding of a text file; null: detected from the file. */
  encoding: text(),
  /** The decimal sign of numbers that can be read in two ways; null: detected from the file. */
  decimal: text({ enum: ['.', ','] }),
  /** Hexadecimal SHA-256 of the file; null until it is checked. */
  checksum: text(),
  sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
  /** Where its file and rejected rows are stored: in the data directory, or in the object store. */
  storage: text({ enum: ['disk', 's3'] })
    .notNull()
    .default('disk'),
  /** The offset of each slice in the store. */
  offsets: bigint({ mode: 'number' }).array().notNull().default([]),
  /** The partner of all records; null if each record names its own. */
  partnerId: integer('partner_id').references(() => partners.id),
  /** Whether it creates events. */
  events: boolean().notNull(),
  /** Whether it moves deals of other partners; in the portal, those its check found. */
  movesDeals: boolean('moves_deals').notNull().default(false),
  /** Whether empty values clear fields; null: yes in JSON, no in a table. */
  clearsEmpty: boolean('clears_empty'),
  state: text({ enum: ['uploading', 'checking', 'checked', 'importing', 'done', 'failed'] }).notNull(),
  /** Why it failed, as text for the operator. */
  problem: text(),
  /** Bytes received so far. */
  receivedBytes: bigint('received_bytes', { mode: 'number' }).notNull().default(0),
  created: integer().notNull().default(0),
  updated: integer().notNull().default(0),
  unchanged: integer().notNull().default(0),
  rejected: integer().notNull().default(0),
  /** Values that could not be read, in records that were not rejected. */
  unreadable: integer().notNull().default(0),
  /** Deals removed by an undo. */
  removed: integer().notNull().default(0),
  /** The fields of the columns, as JSON; null until the check has found columns. */
  mapping: text(),
  /**
   * The chosen meanings of new stages, as JSON by name: an existing stage or the name itself; null: not
   * chosen.
   */
  stages: text(),
  /** The first changes found by the check, as JSON. */
  sample: text(),
  userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  /** Last heartbeat of the process that checks or imports it. */
  aliveAt: timestamp('alive_at', { withTimezone: true }),
  /** Identifies the run of the process that checks or imports it. */
  leaseId: uuid('lease_id'),
  /** When the import began, or was resumed; null for a check. */
  startedAt: timestamp('started_at', { withTimezone: true }),
  finishedAt: timestamp('finished_at', { withTimezone: true }),
})

/** Another partner's deal found by the check of an import for a partner, with its partner. */
export const importLeaving = pgTable(
  'import_leaving',
  {
    importId: integer('import_id')
      .notNull()
      .references(() => imports.id, { onDelete: 'cascade' }),
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    partnerId: integer('partner_id').notNull(),
  },
  (leaving) => [primaryKey({ columns: [leaving.importId, leaving.dealId] })],
)

/** The last mapping of columns for files with these titles. */
export const importMappings = pgTable('import_mappings', {
  /** The hash of the titles. */
  headerKey: text('header_key').primaryKey(),
  /** Fields by titles, as JSON. */
  mapping: text().notNull(),
  usedAt: timestamp('used_at', { withTimezone: true }).notNull().defaultNow(),
})
