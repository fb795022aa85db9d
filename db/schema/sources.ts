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
  uuid,
} from 'drizzle-orm/pg-core'
import type { SourceKind } from '#server/sources/crm-source.ts'
import type { StageKind } from '#server/stages/stage.ts'
import { instant, partnerRef } from './accounts.ts'

const ms = (name: string) => bigint(name, { mode: 'number' })

/** A system that deals come from, and the position up to which it has been read. */
export const sources = pgTable('sources', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  kind: text().$type<SourceKind>().notNull(),
  name: text().notNull().unique(),
  /** The access token, or the URL of the database. Encrypted. */
  secret: text().notNull(),
  /** The CRM's webhook signing secret. Encrypted. */
  clientSecret: text('client_secret'),
  /** JSON of what is read, and how it becomes a deal. */
  settings: text().notNull(),
  /** Polling interval in seconds. */
  pollS: integer('poll_s').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  /** When an operator connected the source after the preview. Null if its deals are not written yet. */
  connectedAt: instant('connected_at').defaultNow(),
  pausedAt: instant('paused_at'),

  // Start of the window. Records modified within the window are read by ascending id.
  fromMs: ms('from_ms').notNull().default(0),
  /** End of the window that is being read, or null between windows. */
  toMs: ms('to_ms'),
  afterId: bigint('after_id', { mode: 'bigint' })
    .notNull()
    .default(sql`0`),
  /** Number of records read in this window, and the total. */
  windowRead: integer('window_read').notNull().default(0),
  windowTotal: integer('window_total'),
  windowBeganAt: instant('window_began_at'),

  /** When the first load was completed. */
  loadedAt: instant('loaded_at'),
  /** All known changes up to this time have been read. */
  asOf: instant('as_of'),
  /** When changes of the last day were last read again. */
  rereadAt: instant('reread_at'),
  /** When the CRM's list of archived deals was last read to the end, and where the current pass continues. */
  archivedReadAt: instant('archived_read_at'),
  archivedAfter: text('archived_after'),
  /** JSON of the labels and names with which deals were last read. */
  directory: text(),
  /** Mapped properties that do not exist in the source. */
  missingProperties: text('missing_properties')
    .array()
    .notNull()
    .default(sql`'{}'`),
  succeededAt: instant('succeeded_at'),
  problem: text(),
  failingSince: instant('failing_since'),
  /** When the source's job is next due. The trigger `send_source_read` sends the job. */
  nextAt: instant('next_at').notNull().defaultNow(),

  created: integer().notNull().default(0),
  updated: integer().notNull().default(0),
  unchanged: integer().notNull().default(0),
  removed: integer().notNull().default(0),

  /** Number of the current or last comparison. */
  comparison: integer().notNull().default(0),
  /** Where the current comparison continues, or null if no comparison is running. */
  comparingAfter: text('comparing_after'),
  compareAt: instant('compare_at'),
  comparedAt: instant('compared_at'),
  /** True if changes caused by a new mapping send no webhooks until the comparison ends. */
  isQuiet: boolean('is_quiet').notNull().default(false),
  /** Number of deals that differed in the last comparison. */
  compared: integer().notNull().default(0),
  differing: integer().notNull().default(0),
  /** Number of deals deleted in the CRM, if too many to remove without approval. */
  removalsWaiting: integer('removals_waiting').notNull().default(0),
  /** Number of approved removals. */
  removalsApproved: integer('removals_approved').notNull().default(0),

  /** When an operator last mapped values to partners, or null once the deals have moved. */
  placingAt: instant('placing_at'),
  placingEvents: boolean('placing_events').notNull().default(true),

  /** Identifies the run that is reading the source, which is always the one that began last. */
  leaseId: uuid('lease_id'),
})

/** The column of a source, with which the row is deleted. */
const sourceRef = () =>
  integer('source_id')
    .notNull()
    .references(() => sources.id, { onDelete: 'cascade' })

/** The deals that come from a source. */
export const sourceDeals = pgTable(
  'source_deals',
  {
    dealId: bigint('deal_id', { mode: 'bigint' }).primaryKey(),
    sourceId: sourceRef(),
    /** When the deal was last modified in the source, in milliseconds. */
    modifiedMs: ms('modified_ms').notNull(),
    /** The source's value for the deal's partner, or empty if missing. */
    partnerValue: text('partner_value').notNull(),
    /** The last comparison that found the deal. */
    comparison: integer().notNull(),
  },
  (deal) => [index().on(deal.sourceId, deal.partnerValue)],
)

/** Deals that the CRM has announced and that are still to be looked up. */
export const sourceAnnounced = pgTable(
  'source_announced',
  {
    sourceId: sourceRef(),
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    /**
     * Number of remaining lookups. A removal is looked up twice, because the CRM may announce the removal
     * before showing it.
     */
    looks: smallint().notNull(),
    at: instant('at').notNull().defaultNow(),
  },
  (row) => [primaryKey({ columns: [row.sourceId, row.dealId] })],
)

/** The longest delay with which changes in a source became visible, by day. */
export const sourceDelays = pgTable(
  'source_delays',
  {
    sourceId: sourceRef(),
    day: date().notNull(),
    delayMs: ms('delay_ms').notNull(),
  },
  (row) => [primaryKey({ columns: [row.sourceId, row.day] })],
)

/** Records that were not written, or were written without some values, and the reasons. */
export const sourceRejects = pgTable(
  'source_rejects',
  {
    sourceId: sourceRef(),
    recordId: text('record_id').notNull(),
    name: text().notNull(),
    reason: text().notNull(),
    /** True if the record was written without the values that could not be read. */
    isWritten: boolean('is_written').notNull().default(false),
    /** When the record was last modified in the source, in milliseconds. */
    modifiedMs: ms('modified_ms').notNull().default(0),
    at: instant('at').notNull().defaultNow(),
  },
  (reject) => [primaryKey({ columns: [reject.sourceId, reject.recordId] })],
)

/** The files that a source's deals reference. */
export const sourceFiles = pgTable(
  'source_files',
  {
    /** The id of the file, both in the CRM and here. */
    fileId: text('file_id').primaryKey(),
    sourceId: sourceRef(),
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    /** True if the deal still references the file. */
    isNamed: boolean('is_named').notNull().default(true),
    /** The CRM's revision of the stored content, or null if nothing is stored. */
    revision: text(),
    /** The CRM's revision of content that the virus scanner rejected. This revision is not copied again. */
    refused: text(),
    /** Reason why the file is missing or outdated. */
    problem: text(),
    /** When the file was last checked with the CRM, or null if a check is due. */
    checkedAt: instant('checked_at'),
  },
  (file) => [index().on(file.sourceId, file.checkedAt), index().on(file.dealId)],
)

/** The partner that each value of the partner property maps to. */
export const sourcePartners = pgTable(
  'source_partners',
  {
    sourceId: sourceRef(),
    value: text().notNull(),
    partnerId: partnerRef(),
  },
  (row) => [primaryKey({ columns: [row.sourceId, row.value] })],
)

/** The stages of a source, as last described by the source. */
export const sourceStages = pgTable(
  'source_stages',
  {
    sourceId: sourceRef(),
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

/** A changed mapping to try on all records before it is applied. */
export const sourceTrials = pgTable('source_trials', {
  sourceId: integer('source_id')
    .primaryKey()
    .references(() => sources.id, { onDelete: 'cascade' }),
  /** JSON of the settings to try. */
  settings: text().notNull(),
  askedAt: instant('asked_at').notNull().defaultNow(),
  read: integer().notNull().default(0),
  /** JSON of the changes that the settings would make, or null until all records are read. */
  result: text(),
})
