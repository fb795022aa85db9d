import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
  timestamp,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { columnOf, datedFields, isImplausibleText } from '#server/deals/columns.ts'
import type { EventType } from '#server/deals/event.ts'
import { partners, users } from './accounts.ts'

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' })
// Compared byte by byte: stored text is already in lower case and without accents.
const key = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

// A column for each date field, for filters and sorting, except those below.
const times = Object.fromEntries(
  datedFields.map((field) => [field, timestamp(columnOf(field), { withTimezone: true })]),
)

/** The condition for deals with data issues, used by their partial indexes. */
const hasDataIssue = sql.raw(isImplausibleText)

/** The form in which a text column is sorted. */
const textKey = (column: string) => sql.raw(`lower(${column}) collate "C"`)

/**
 * The deals. `json` is the deal byte for byte as partners receive it; the derived columns exist to find,
 * filter, sort and count, and are as narrow as that allows, because a search may read every row.
 */
export const deals = pgTable(
  'deals',
  {
    id: bigint({ mode: 'bigint' }).primaryKey(),
    /**
     * Null for a deal without a partner, visible to internal tokens only. No foreign key, which would look up
     * the partner per row: the writer locks the partners' lists, which exist.
     */
    partnerId: integer('partner_id'),
    json: text().notNull(),
    /**
     * The `renderVersion` that wrote `json` and the derived columns; deals of an older one are re-rendered.
     */
    renderVersion: smallint('render_version').notNull().default(0),
    /** The search words. */
    words: tsvector(),
    /** The name in its sort form. */
    nameKey: key('name_key'),
    city: text(),
    state: text(),
    stage: text(),
    pipeline: text(),
    utilityName: text('utility_name'),
    closerName: text('closer_name'),
    lender: text(),
    moduleType: text('module_type'),
    inverterType: text('inverter_type'),
    battery: text(),
    amount: doublePrecision(),
    /** Dollars per watt. */
    totalPpw: doublePrecision('total_ppw'),
    /** Kilowatts. */
    systemSize: doublePrecision('system_size'),
    /** One bit per boolean field, numbered by `flagBits`. */
    flags: integer(),
    /** The boolean fields that a source gave, numbered by `flagBits`; null: the true ones. */
    given: integer(),
    // The deal's status (`milestones/status.ts`).
    hold: text(),
    gate: text(),
    flowStep: text('flow_step'),
    stepSince: timestamp('step_since', { withTimezone: true }),
    dueAt: timestamp('due_at', { withTimezone: true }),
    dueStep: text('due_step'),
    reached: text(),
    stepsDone: integer('steps_done'),
    stepsToDo: integer('steps_to_do'),
    /** When a future date changes it; null for never. */
    statusChangesAt: timestamp('status_changes_at', { withTimezone: true }),
    /** The meaning of the stage when the status was computed: `open permit`. */
    stageMeaning: text('stage_meaning'),
    /** Key of a street address, equal for all its deals; null when incomplete. */
    addressKey: bigint('address_key', { mode: 'number' }),
    /** Ids of the `people` with a role in the deal. */
    people: integer().array(),
    /** The roles of each of `people`, in their order: bits of `roleBits`. */
    roles: integer().array(),
    /** Degrees; null without usable coordinates. */
    latitude: real(),
    longitude: real(),
    /** FIPS code of the county at its coordinates; null outside all counties. */
    county: integer(),
    lastModified: timestamp('last_modified', { withTimezone: true }),
    createDate: timestamp('create_date', { withTimezone: true }),
    timeInCurrentStage: timestamp('time_in_current_stage', { withTimezone: true }),
    ...times,
  },
  (deal) => [
    index().on(deal.partnerId, deal.id),
    // Lists scan one of these indexes, whose leading columns also narrow them (`find/store.ts`).
    index().on(deal.partnerId, deal.lastModified, deal.id),
    index().on(deal.partnerId, deal.createDate, deal.id),
    index().on(deal.partnerId, deal.timeInCurrentStage, deal.id),
    index().on(deal.partnerId, deal.nameKey, deal.id),
    index().on(deal.partnerId, deal.amount, deal.id),
    index().on(deal.partnerId, deal.systemSize, deal.id),
    index('deals_partner_id_stage_key_id_index').on(deal.partnerId, textKey('stage'), deal.id),
    index('deals_partner_id_state_key_id_index').on(deal.partnerId, textKey('state'), deal.id),
    // The cards of a stage.
    index().on(deal.partnerId, deal.stage, deal.timeInCurrentStage, deal.id),
    // The deals of a place, in id order, so that the first ones are spread over it.
    index().on(deal.partnerId, deal.county, deal.id, deal.latitude, deal.longitude),
    // The deals of all partners.
    index().on(deal.lastModified, deal.id),
    index().on(deal.createDate, deal.id),
    index().on(deal.stage, deal.timeInCurrentStage, deal.id),
    index().using('gin', deal.words),
    index().using('gin', deal.people),
    // Deals with data issues, which are few, so it costs writers little.
    index('deals_data_issues_index').on(deal.partnerId, deal.id).where(hasDataIssue),
    index('deals_data_issues_of_all_index').on(deal.id).where(hasDataIssue),
    // Deals whose status a future date will change.
    index()
      .on(deal.statusChangesAt)
      .where(sql`status_changes_at is not null`),
    // Finds deals of an older version, and shows at once if there are none.
    index().on(deal.renderVersion, deal.id),
  ],
)

/** The people with a role in deals, each name and e-mail address once, for filters and search. */
export const people = pgTable(
  'people',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    name: text().notNull(),
    /** Empty if unknown. */
    email: text().notNull(),
  },
  (person) => [unique().on(person.name, person.email)],
)

/** The team member to whom a deal is assigned. */
export const dealAssignees = pgTable(
  'deal_assignees',
  {
    dealId: bigint('deal_id', { mode: 'bigint' })
      .primaryKey()
      .references(() => deals.id, { onDelete: 'cascade' }),
    partnerId: integer('partner_id')
      .notNull()
      .references(() => partners.id),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Null if that user has been removed. */
    assignedBy: integer('assigned_by').references(() => users.id, { onDelete: 'set null' }),
    assignedAt: timestamp('assigned_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (assignee) => [
    index().on(assignee.partnerId, assignee.userId, assignee.dealId),
    index().on(assignee.userId),
    index().on(assignee.assignedBy),
  ],
)

/** Deals that were assigned to a user or taken from one, in order, until their users are notified. */
export const newAssignments = pgTable(
  'new_assignments',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    dealId: bigint('deal_id', { mode: 'bigint' })
      .notNull()
      .references(() => deals.id, { onDelete: 'cascade' }),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    isAssigned: boolean('is_assigned').notNull(),
    /** The user who made the change. */
    changedBy: integer('changed_by'),
  },
  (row) => [index().on(row.dealId), index().on(row.userId)],
)

/** Phone numbers of the installer's staff, which the CRM does not have, by e-mail address in lower case. */
export const staffPhones = pgTable('staff_phones', { email: text().primaryKey(), phone: text().notNull() })

/**
 * Figures of a deal list that are stored rather than counted on each request. Each partner has a list under
 * its id; id 0 is the list of all deals, which only internal tokens read.
 */
export const dealLists = pgTable('deal_lists', {
  id: integer().primaryKey(),
  /** Number of deals. */
  dealCount: bigint('deal_count', { mode: 'number' }).notNull().default(0),
  /** The last position assigned. */
  lastPosition: bigint('last_position', { mode: 'number' }).notNull().default(0),
  /** Goes up with each transaction that changes the list. */
  revision: bigint({ mode: 'number' }).notNull().default(0),
  /** The sequence of the partner's newest event. */
  lastSequence: bigint('last_sequence', { mode: 'number' }).notNull().default(0),
  /** How often its gaps were closed, which moved its deals to lower positions. */
  closings: integer().notNull().default(0),
})

/**
 * Totals of long lists as they were at a revision: they take a scan of all deals, for which no request waits.
 */
export const listTotals = pgTable(
  'list_totals',
  {
    listId: integer('list_id').notNull(),
    /** The kind of totals and the version of their JSON: `overview-1`. */
    kind: text().notNull(),
    /** The time zone of its days; empty when irrelevant. */
    zone: text().notNull(),
    /** JSON; null until it is computed for the first time. */
    totals: text(),
    /** The revision of the list that was counted. */
    revision: bigint({ mode: 'number' }),
    computedAt: timestamp('computed_at', { withTimezone: true }),
    /** When the totals change although the list does not, because a day or a time comes; null: never. */
    validUntil: timestamp('valid_until', { withTimezone: true }),
    /** Earliest time of the next computation: set while computing and afterwards. */
    dueAt: timestamp('due_at', { withTimezone: true }).notNull(),
    /** Precise to an hour. Unread totals are removed. */
    readAt: timestamp('read_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (totals) => [primaryKey({ columns: [totals.listId, totals.kind, totals.zone] })],
)

/** The place of a deal in a list. Positions only grow; a removed deal leaves a gap. */
export const dealPlaces = pgTable(
  'deal_places',
  {
    listId: integer('list_id').notNull(),
    position: bigint({ mode: 'number' }).notNull(),
    /** No foreign key, which would look up and lock each deal that has just been written. */
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
  },
  (place) => [primaryKey({ columns: [place.listId, place.position] }), index().on(place.dealId)],
)

/** An empty position of a list, and the number of deals before it. */
export const dealGaps = pgTable(
  'deal_gaps',
  {
    listId: integer('list_id').notNull(),
    position: bigint({ mode: 'number' }).notNull(),
    dealsBefore: bigint('deals_before', { mode: 'number' }).notNull(),
  },
  (gap) => [
    primaryKey({ columns: [gap.listId, gap.position] }),
    index().on(gap.listId, gap.dealsBefore, gap.position),
  ],
)

/**
 * A gap that was closed, and the number of gaps up to it: where a position from before the closing is now. Kept
 * for clients that walk the list.
 */
export const closedGaps = pgTable(
  'closed_gaps',
  {
    listId: integer('list_id').notNull(),
    /** The `closings` of the list before it was closed. */
    closing: integer().notNull(),
    position: bigint({ mode: 'number' }).notNull(),
    gapCount: bigint('gap_count', { mode: 'number' }).notNull(),
  },
  (gap) => [primaryKey({ columns: [gap.listId, gap.closing, gap.position] })],
)

/** Events of deals: the body is frozen when the change is made. */
export const events = pgTable(
  'events',
  {
    partnerId: integer('partner_id')
      .notNull()
      .references(() => partners.id),
    sequence: bigint({ mode: 'number' }).notNull(),
    type: text().$type<EventType>().notNull(),
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    body: text().notNull(),
  },
  (event) => [
    primaryKey({ columns: [event.partnerId, event.sequence] }),
    index().on(event.partnerId, event.dealId, event.sequence),
    // The events of some days.
    index().on(event.partnerId, event.createdAt),
    // The moves of some days: a week of updates has gigabytes of bodies. The condition is that of `news-store.ts`.
    index('events_moved_index')
      .on(event.partnerId, event.createdAt)
      .where(sql`type = 'deal.updated' and strpos(body, '{"field":"stage",') > 0`),
  ],
)

/**
 * The values of an event's deal that filters compare, before and after its change: narrow, because a filter is tried
 * on a month of events at once. Values before are null for `deal.created`, those after for `deal.removed`.
 */
export const eventFacts = pgTable(
  'event_facts',
  {
    partnerId: integer('partner_id').notNull(),
    sequence: bigint({ mode: 'number' }).notNull(),
    type: text().$type<EventType>().notNull(),
    /** The changed fields, without those that change with everything else. */
    changed: text().array(),
    stageBefore: text('stage_before'),
    stage: text(),
    pipelineBefore: text('pipeline_before'),
    pipeline: text(),
    stateBefore: text('state_before'),
    state: text(),
    amountBefore: doublePrecision('amount_before'),
    amount: doublePrecision(),
    createDateBefore: timestamp('create_date_before', { withTimezone: true }),
    createDate: timestamp('create_date', { withTimezone: true }),
    /** A `1` or `0` for each of `markedFields`: whether it has a value, or for a flag, whether it is true. */
    marksBefore: text('marks_before'),
    marks: text(),
  },
  (facts) => [primaryKey({ columns: [facts.partnerId, facts.sequence] })],
)

/**
 * The last batch written by each running import, recorded in the batch's transaction; shows whether a commit
 * happened whose response was lost.
 */
export const importBatches = pgTable('import_batches', {
  importId: uuid('import_id').primaryKey(),
  /** Counted from 1. */
  batch: integer().notNull(),
  writtenAt: timestamp('written_at', { withTimezone: true }).notNull().defaultNow(),
})

/** The deals that a batch of an import created; kept for its undo. */
export const importCreated = pgTable(
  'import_created',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    importId: integer('import_id').notNull(),
    dealIds: bigint('deal_ids', { mode: 'bigint' }).array().notNull(),
    /** The transaction that wrote them, and its database cluster. */
    version: text().notNull(),
  },
  (created) => [index().on(created.importId, created.id)],
)

/** A deal as it was before an import updated or removed it; kept for the undo of the import. */
export const importFormer = pgTable(
  'import_former',
  {
    importId: integer('import_id').notNull(),
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    partnerId: integer('partner_id'),
    json: text().notNull(),
    /** As in `deals`. */
    given: integer(),
    /** The transaction that wrote the deal, and its database cluster; null when the deal was removed. */
    version: text(),
  },
  (former) => [primaryKey({ columns: [former.importId, former.dealId] })],
)
