import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  date,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import type { SourceKind } from '#server/sources/source-kind.ts'
import type { StageKind } from '#server/stages/stage.ts'
import { partners } from './accounts.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true })
const ms = (name: string) => bigint(name, { mode: 'number' })

/** A system that deals come from, and its read position. */
export const sources = pgTable('sources', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  kind: text().$type<SourceKind>().notNull(),
  name: text().notNull().unique(),
  /** The access token, or the URL of the database; encrypted. */
  secret: text().notNull(),
  /** The CRM's webhook signing secret; encrypted. */
  clientSecret: text('client_secret'),
  /** JSON: what is read, and how it becomes a deal. */
  settings: text().notNull(),
  /** The polling interval in seconds. */
  pollS: integer('poll_s').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  /** When an operator connected it after the preview; null: none of its deals are written yet. */
  connectedAt: instant('connected_at').defaultNow(),
  pausedAt: instant('paused_at'),

  // The cursor: the records modified within the window are read by ascending id.
  fromMs: ms('from_ms').notNull().default(0),
  /** The end of the window being read; null between windows. */
  toMs: ms('to_ms'),
  afterId: bigint('after_id', { mode: 'bigint' })
    .notNull()
    .default(sql`0`),
  /** Records read in this window, and their total. */
  windowRead: integer('window_read').notNull().default(0),
  windowTotal: integer('window_total'),
  windowBeganAt: instant('window_began_at'),

  /** When the first load was complete. */
  loadedAt: instant('loaded_at'),
  /** All known changes up to this time have been read. */
  asOf: instant('as_of'),
  /** When the last day was last read again. */
  rereadAt: instant('reread_at'),
  /** When the CRM's list of archived deals was last read to its end, and where the running pass continues. */
  archivedReadAt: instant('archived_read_at'),
  archivedAfter: text('archived_after'),
  /** JSON: the labels and names that its deals were last read with. */
  directory: text(),
  /** The mapped properties that the source lacks. */
  missingProperties: text('missing_properties')
    .array()
    .notNull()
    .default(sql`'{}'`),
  succeededAt: instant('succeeded_at'),
  problem: text(),
  failingSince: instant('failing_since'),
  /** When its job is due next; the trigger `send_source_read` sends it. */
  nextAt: instant('next_at').notNull().defaultNow(),

  created: integer().notNull().default(0),
  updated: integer().notNull().default(0),
  unchanged: integer().notNull().default(0),
  removed: integer().notNull().default(0),

  /** The number of the running or last comparison. */
  comparison: integer().notNull().default(0),
  /** Where the running comparison continues; null if none is running. */
  comparingAfter: text('comparing_after'),
  compareAt: instant('compare_at'),
  comparedAt: instant('compared_at'),
  /** Whether webhooks are suppressed for changes of the mapping being applied, until the comparison ends. */
  isQuiet: boolean('is_quiet').notNull().default(false),
  /** The number of deals that differed in the last comparison. */
  compared: integer().notNull().default(0),
  differing: integer().notNull().default(0),
  /** Deals deleted in the CRM, if too many to remove without approval. */
  removalsWaiting: integer('removals_waiting').notNull().default(0),
  /** The number of approved removals. */
  removalsApproved: integer('removals_approved').notNull().default(0),

  /** When an operator last mapped values to partners; null once the deals have moved. */
  placingAt: instant('placing_at'),
  placingEvents: boolean('placing_events').notNull().default(true),

  /** Identifies the run that reads it: the one that began last. */
  leaseId: uuid('lease_id'),
})

/** The deals that come from a source. */
export const sourceDeals = pgTable(
  'source_deals',
  {
    dealId: bigint('deal_id', { mode: 'bigint' }).primaryKey(),
    sourceId: integer('source_id')
      .notNull()
      .references(() => sources.id, { onDelete: 'cascade' }),
    /** When it was last modified there, in milliseconds. */
    modifiedMs: ms('modified_ms').notNull(),
    /** The source's value for its partner; empty when missing. */
    partnerValue: text('partner_value').notNull(),
    /** The last comparison that saw it. */
    comparison: integer().notNull(),
  },
  (deal) => [index().on(deal.sourceId, deal.partnerValue)],
)

/** The deals that the CRM has announced and that are still to be looked up. */
export const sourceAnnounced = pgTable(
  'source_announced',
  {
    sourceId: integer('source_id')
      .notNull()
      .references(() => sources.id, { onDelete: 'cascade' }),
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    /** How often it is still looked up: a removal twice, because the CRM may announce it before it shows it. */
    looks: smallint().notNull(),
    at: instant('at').notNull().defaultNow(),
  },
  (row) => [primaryKey({ columns: [row.sourceId, row.dealId] })],
)

/** The longest delay with which changes of a source became visible, by day. */
export const sourceDelays = pgTable(
  'source_delays',
  {
    sourceId: integer('source_id')
      .notNull()
      .references(() => sources.id, { onDelete: 'cascade' }),
    day: date().notNull(),
    delayMs: ms('delay_ms').notNull(),
  },
  (row) => [primaryKey({ columns: [row.sourceId, row.day] })],
)

/** Records that could not be written, or only without some of their values, and why. */
export const sourceRejects = pgTable(
  'source_rejects',
  {
    sourceId: integer('source_id')
      .notNull()
      .references(() => sources.id, { onDelete: 'cascade' }),
    recordId: text('record_id').notNull(),
    name: text().notNull(),
    reason: text().notNull(),
    /** Whether the record was written without the values that could not be read. */
    isWritten: boolean('is_written').notNull().default(false),
    /** When it was last modified in the source, in milliseconds. */
    modifiedMs: ms('modified_ms').notNull().default(0),
    at: instant('at').notNull().defaultNow(),
  },
  (reject) => [primaryKey({ columns: [reject.sourceId, reject.recordId] })],
)

/** The files that a source's deals reference. */
export const sourceFiles = pgTable(
  'source_files',
  {
    /** The id in the CRM, and of the file here. */
    fileId: text('file_id').primaryKey(),
    sourceId: integer('source_id')
      .notNull()
      .references(() => sources.id, { onDelete: 'cascade' }),
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    /** Whether the deal still references it. */
    isNamed: boolean('is_named').notNull().default(true),
    /** The CRM's revision of the stored content; null if there is none. */
    revision: text(),
    /** The CRM's revision of a content rejected by the virus scanner, which is not copied again. */
    refused: text(),
    /** Why the file is missing or outdated. */
    problem: text(),
    /** The last check with the CRM; null when a check is due. */
    checkedAt: instant('checked_at'),
  },
  (file) => [index().on(file.sourceId, file.checkedAt), index().on(file.dealId)],
)

/** The partner that each value of the partner property maps to. */
export const sourcePartners = pgTable(
  'source_partners',
  {
    sourceId: integer('source_id')
      .notNull()
      .references(() => sources.id, { onDelete: 'cascade' }),
    value: text().notNull(),
    partnerId: integer('partner_id')
      .notNull()
      .references(() => partners.id),
  },
  (row) => [primaryKey({ columns: [row.sourceId, row.value] })],
)

/** The stages of a source, as last described by it. */
export const sourceStages = pgTable(
  'source_stages',
  {
    sourceId: integer('source_id')
      .notNull()
      .references(() => sources.id, { onDelete: 'cascade' }),
    pipelineId: text('pipeline_id').notNull(),
    stageId: text('stage_id').notNull(),
    pipeline: text().notNull(),
    stage: text().notNull(),
    kind: text().$type<StageKind>().notNull(),
    order: integer().notNull(),
    probability: doublePrecision(),
  },
  (row) => [primaryKey({ columns: [row.sourceId, row.pipelineId, row.stageId] })],
)

/** A changed mapping to be tried on all records before it is applied. */
export const sourceTrials = pgTable('source_trials', {
  sourceId: integer('source_id')
    .primaryKey()
    .references(() => sources.id, { onDelete: 'cascade' }),
  /** JSON: the settings to try. */
  settings: text().notNull(),
  askedAt: instant('asked_at').notNull().defaultNow(),
  /** Records read so far. */
  read: integer().notNull().default(0),
  /** JSON: the changes that the settings would make; null until all records are read. */
  result: text(),
})
