import {
  type AnyPgColumn,
  bigint,
  boolean,
  integer,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import { instant, partners, users } from './accounts.ts'

/** An import of deals and its outcome. */
export const imports = pgTable('imports', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  /** The origin of the records. */
  origin: text({ enum: ['upload', 'command', 'undo'] })
    .notNull()
    .default('upload'),
  /** The import that this import undoes. */
  undoes: integer().references((): AnyPgColumn => imports.id),
  /** The import whose rejected rows this import corrects. Null if there is none or it was discarded. */
  corrects: integer().references((): AnyPgColumn => imports.id, { onDelete: 'set null' }),
  fileName: text('file_name').notNull(),
  /** Sheet of a workbook to read, or null for the first sheet. */
  sheet: text(),
  /** Number of the header row, starting at 1, or null to detect the row. */
  headerRow: integer('header_row'),
  /** True if dates such as 3/4/2026 have the day first, or null to detect the order from the file. */
  dayFirst: boolean('day_first'),
  /** Encoding of a text file, or null to detect the encoding from the file. */
  encoding: text(),
  /** Decimal sign for ambiguous numbers, or null to detect the sign from the file. */
  decimal: text({ enum: ['.', ','] }),
  /** Hexadecimal SHA-256 of the file, or null until the file is checked. */
  checksum: text(),
  sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
  /** Storage of the file and its rejected rows: the data directory, or the object store. */
  storage: text({ enum: ['disk', 's3'] })
    .notNull()
    .default('disk'),
  /** Offset of each slice in the object store. */
  offsets: bigint({ mode: 'number' }).array().notNull().default([]),
  /** Partner of all records, or null if each record specifies its own partner. */
  partnerId: integer('partner_id').references(() => partners.id),
  events: boolean().notNull(),
  /** True if the import moves deals of other partners. In the portal, only the deals that its check found. */
  movesDeals: boolean('moves_deals').notNull().default(false),
  /** True if empty values clear fields. If null, they do so in JSON but not in tables. */
  clearsEmpty: boolean('clears_empty'),
  state: text({ enum: ['uploading', 'checking', 'checked', 'importing', 'done', 'failed'] }).notNull(),
  /** Reason for the failure, as text for the operator. */
  problem: text(),
  /** Number of bytes received so far. */
  receivedBytes: bigint('received_bytes', { mode: 'number' }).notNull().default(0),
  created: integer().notNull().default(0),
  updated: integer().notNull().default(0),
  unchanged: integer().notNull().default(0),
  rejected: integer().notNull().default(0),
  /** Number of unreadable values in records that were not rejected. */
  unreadable: integer().notNull().default(0),
  removed: integer().notNull().default(0),
  /** Fields of the columns as JSON, or null until the check has found columns. */
  mapping: text(),
  /**
   * Chosen meanings of new stages as JSON by name: an existing stage or the same name. Null if not chosen.
   */
  stages: text(),
  /** The first changes found by the check, as JSON. */
  sample: text(),
  userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
  createdAt: instant('created_at').notNull().defaultNow(),
  /** Last heartbeat of the process that is checking or importing the file. */
  aliveAt: instant('alive_at'),
  /** Identifies the run of the process that is checking or importing the file. */
  leaseId: uuid('lease_id'),
  /** When the import began or was resumed. Null for a check. */
  startedAt: instant('started_at'),
  finishedAt: instant('finished_at'),
})

/** A deal that belongs to another partner, as found by the check of an import for a single partner. */
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
  headerKey: text('header_key').primaryKey(),
  mapping: text().notNull(),
  usedAt: instant('used_at').notNull().defaultNow(),
})
