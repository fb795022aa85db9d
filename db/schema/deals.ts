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
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { columnOf, datedFields, isImplausibleText } from '#server/deals/columns.ts'
import type { EventType } from '#server/deals/event.ts'
import { instant, users, userRef, partnerRef } from './accounts.ts'

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' })
// Compared byte by byte, because the stored text is already in lower case and without accents.
const key = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

// A column for each date field for filtering and sorting, except the dates defined below.
const times = Object.fromEntries(datedFields.map((field) => [field, instant(columnOf(field))]))

/** Condition for deals with data issues, as used in the partial indexes. */
const hasDataIssue = sql.raw(isImplausibleText)

/** Returns the form of a text column that is used for sorting. */
const textKey = (column: string) => sql.raw(`lower(${column}) collate "C"`)

/**
 * The deals. `json` is the deal byte for byte as partners receive it. The derived columns are for finding,
 * filtering, sorting, and counting. They are as narrow as possible, because a search may read every row.
 */
export const deals = pgTable(
  'deals',
  {
    id: bigint({ mode: 'bigint' }).primaryKey(),
    /**
     * Null for a deal without a partner, which only internal tokens can see. There is no foreign key, because
     * it would look up the partner for every row. The writer locks the partners' lists instead, which ensures
     * that the partners exist.
     */
    partnerId: integer('partner_id'),
    json: text().notNull(),
    /**
     * The `renderVersion` that wrote `json` and the derived columns. Deals of an older version are rendered
     * again.
     */
    renderVersion: smallint('render_version').notNull().default(0),
    /** Words for searching. */
    words: tsvector(),
    /** Name in the form used for sorting. */
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
    /** Boolean fields that a source sent, numbered by `flagBits`. If null, the fields that are true. */
    given: integer(),
    // The deal's status (`deals/status.ts`).
    hold: text(),
    gate: text(),
    flowStep: text('flow_step'),
    stepSince: instant('step_since'),
    dueAt: instant('due_at'),
    dueStep: text('due_step'),
    reached: text(),
    stepsDone: integer('steps_done'),
    stepsToDo: integer('steps_to_do'),
    /** When a date in the future will change the status, or null if never. */
    statusChangesAt: instant('status_changes_at'),
    /** Meaning of the stage when the status was computed: `open permit`. */
    stageMeaning: text('stage_meaning'),
    /** Key of the street address, equal for all deals at the address. Null if the address is incomplete. */
    addressKey: bigint('address_key', { mode: 'number' }),
    /** Ids of the `people` who have a role in the deal. */
    people: integer().array(),
    /** Roles of the `people` in the same order, as bits of `roleBits`. */
    roles: integer().array(),
    /** Latitude in degrees, or null if there are no usable coordinates. */
    latitude: real(),
    longitude: real(),
    /** FIPS code of the county at the coordinates, or null outside all counties. */
    county: integer(),
    lastModified: instant('last_modified'),
    createDate: instant('create_date'),
    timeInCurrentStage: instant('time_in_current_stage'),
    ...times,
  },
  (deal) => [
    index().on(deal.partnerId, deal.id),
    // Lists scan one of these indexes, whose leading columns also serve as filters (`search/store.ts`).
    index().on(deal.partnerId, deal.lastModified, deal.id),
    index().on(deal.partnerId, deal.createDate, deal.id),
    index().on(deal.partnerId, deal.timeInCurrentStage, deal.id),
    index().on(deal.partnerId, deal.nameKey, deal.id),
    index().on(deal.partnerId, deal.amount, deal.id),
    index().on(deal.partnerId, deal.systemSize, deal.id),
    index('deals_partner_id_stage_key_id_index').on(deal.partnerId, textKey('stage'), deal.id),
    index('deals_partner_id_state_key_id_index').on(deal.partnerId, textKey('state'), deal.id),
    // For the cards of a stage.
    index().on(deal.partnerId, deal.stage, deal.timeInCurrentStage, deal.id),
    // For the deals in a region. The order by id spreads the first deals over the whole region.
    index().on(deal.partnerId, deal.county, deal.id, deal.latitude, deal.longitude),
    // For the deals of all partners.
    index().on(deal.lastModified, deal.id),
    index().on(deal.createDate, deal.id),
    index().on(deal.stage, deal.timeInCurrentStage, deal.id),
    index().using('gin', deal.words),
    index().using('gin', deal.people),
    // For deals with data issues. Such deals are rare, so the index costs little on writes.
    index('deals_data_issues_index').on(deal.partnerId, deal.id).where(hasDataIssue),
    index('deals_data_issues_of_all_index').on(deal.id).where(hasDataIssue),
    // For deals whose status will change on a future date.
    index()
      .on(deal.statusChangesAt)
      .where(sql`status_changes_at is not null`),
    // For finding deals rendered by an older version, and for checking quickly that there are none.
    index().on(deal.renderVersion, deal.id),
  ],
)

/** The column of a deal, with which the row is deleted. */
export const dealRef = () =>
  bigint('deal_id', { mode: 'bigint' })
    .notNull()
    .references(() => deals.id, { onDelete: 'cascade' })

/**
 * People with a role in deals, one row for each combination of name and e-mail address, for filtering and
 * searching.
 */
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
    partnerId: partnerRef(),
    userId: userRef(),
    /** Null if that user has been removed. */
    assignedBy: integer('assigned_by').references(() => users.id, { onDelete: 'set null' }),
    assignedAt: instant('assigned_at').notNull().defaultNow(),
  },
  (assignee) => [
    index().on(assignee.partnerId, assignee.userId, assignee.dealId),
    index().on(assignee.userId),
    index().on(assignee.assignedBy),
  ],
)

/** Assignments and unassignments of deals, in order, about which the users have not been notified yet. */
export const newAssignments = pgTable(
  'new_assignments',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    dealId: dealRef(),
    userId: userRef(),
    isAssigned: boolean('is_assigned').notNull(),
    changedBy: integer('changed_by'),
  },
  (row) => [index().on(row.dealId), index().on(row.userId)],
)

/**
 * Phone numbers of the installer's staff by e-mail address in lower case. The CRM does not have these
 * numbers.
 */
export const staffPhones = pgTable('staff_phones', { email: text().primaryKey(), phone: text().notNull() })

/**
 * Stored figures of deal lists, so that not every request has to count deals. A partner's list has the
 * partner's id. Id 0 is the list of all deals, which only internal tokens can read.
 */
export const dealLists = pgTable('deal_lists', {
  id: integer().primaryKey(),
  dealCount: bigint('deal_count', { mode: 'number' }).notNull().default(0),
  lastPosition: bigint('last_position', { mode: 'number' }).notNull().default(0),
  /** Increases with each transaction that changes the list. */
  revision: bigint({ mode: 'number' }).notNull().default(0),
  /** Sequence number of the partner's newest event. */
  lastSequence: bigint('last_sequence', { mode: 'number' }).notNull().default(0),
  /** Number of times that gaps were closed, which moves deals to lower positions. */
  closings: integer().notNull().default(0),
})

/**
 * Totals of long lists at a certain revision. Computing totals takes a scan of all deals, so requests do not
 * wait for it.
 */
export const listTotals = pgTable(
  'list_totals',
  {
    listId: integer('list_id').notNull(),
    /** Kind of totals and version of their JSON: `overview-1`. */
    kind: text().notNull(),
    /** Time zone for days, or empty if irrelevant. */
    zone: text().notNull(),
    /** JSON, or null until first computed. */
    totals: text(),
    /** Revision of the list that was counted. */
    revision: bigint({ mode: 'number' }),
    computedAt: instant('computed_at'),
    /** When the totals change even if the list does not, because of a certain day or time. Null if never. */
    validUntil: instant('valid_until'),
    /** Earliest time of the next computation. Set during and after a computation. */
    dueAt: instant('due_at').notNull(),
    /** When the totals were last read, accurate to the hour. Unread totals are removed. */
    readAt: instant('read_at').notNull().defaultNow(),
  },
  (totals) => [primaryKey({ columns: [totals.listId, totals.kind, totals.zone] })],
)

/** The position of a deal in a list. Positions only increase. A removed deal leaves a gap. */
export const dealPlaces = pgTable(
  'deal_places',
  {
    listId: integer('list_id').notNull(),
    position: bigint({ mode: 'number' }).notNull(),
    /** There is no foreign key, because it would look up and lock each deal that was just written. */
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
  },
  (place) => [primaryKey({ columns: [place.listId, place.position] }), index().on(place.dealId)],
)

/** An empty position in a list, and the number of deals before that position. */
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
 * A gap that was closed, and the number of gaps up to and including it. Used to translate positions from
 * before the closing, for clients that are reading the list page by page.
 */
export const closedGaps = pgTable(
  'closed_gaps',
  {
    listId: integer('list_id').notNull(),
    /** Value of `closings` before the gap was closed. */
    closing: integer().notNull(),
    position: bigint({ mode: 'number' }).notNull(),
    gapCount: bigint('gap_count', { mode: 'number' }).notNull(),
  },
  (gap) => [primaryKey({ columns: [gap.listId, gap.closing, gap.position] })],
)

/** Events of deals. The body of an event is written when the change is made, and never changes. */
export const events = pgTable(
  'events',
  {
    partnerId: partnerRef(),
    sequence: bigint({ mode: 'number' }).notNull(),
    type: text().$type<EventType>().notNull(),
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    createdAt: instant('created_at').notNull(),
    body: text().notNull(),
  },
  (event) => [
    primaryKey({ columns: [event.partnerId, event.sequence] }),
    index().on(event.partnerId, event.dealId, event.sequence),
    // For the events of some days.
    index().on(event.partnerId, event.createdAt),
    // For the moves of some days, because the bodies of a week's updates take gigabytes. The condition
    // matches the one in `news-store.ts`.
    index('events_moved_index')
      .on(event.partnerId, event.createdAt)
      .where(sql`type = 'deal.updated' and strpos(body, '{"field":"stage",') > 0`),
  ],
)

/**
 * Values of an event's deal that filters compare, before and after the change. The table is narrow, because a
 * filter is tried on a month of events at a time. Values before the change are null for `deal.created`, and
 * values after the change for `deal.removed`.
 */
export const eventFacts = pgTable(
  'event_facts',
  {
    partnerId: integer('partner_id').notNull(),
    sequence: bigint({ mode: 'number' }).notNull(),
    type: text().$type<EventType>().notNull(),
    /** The changed fields, except fields that change together with any other field. */
    changed: text().array(),
    stageBefore: text('stage_before'),
    stage: text(),
    pipelineBefore: text('pipeline_before'),
    pipeline: text(),
    stateBefore: text('state_before'),
    state: text(),
    amountBefore: doublePrecision('amount_before'),
    amount: doublePrecision(),
    createDateBefore: instant('create_date_before'),
    createDate: instant('create_date'),
    /**
     * A `1` or `0` for each of `markedFields`: whether the field has a value or, for a flag, whether it is
     * true.
     */
    marksBefore: text('marks_before'),
    marks: text(),
  },
  (facts) => [primaryKey({ columns: [facts.partnerId, facts.sequence] })],
)

/**
 * The last batch written by each running import, recorded in the transaction of the batch. Shows whether a
 * commit took effect if its response was lost.
 */
export const importBatches = pgTable('import_batches', {
  importId: uuid('import_id').primaryKey(),
  /** Number of the batch, starting at 1. */
  batch: integer().notNull(),
  writtenAt: instant('written_at').notNull().defaultNow(),
})

/** Deals created by a batch of an import, kept for undoing the import. */
export const importCreated = pgTable(
  'import_created',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    importId: integer('import_id').notNull(),
    dealIds: bigint('deal_ids', { mode: 'bigint' }).array().notNull(),
    /** The transaction that wrote the deals, and its database cluster. */
    version: text().notNull(),
  },
  (created) => [index().on(created.importId, created.id)],
)

/** A deal before an import updated or removed it, kept for undoing the import. */
export const importFormer = pgTable(
  'import_former',
  {
    importId: integer('import_id').notNull(),
    dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
    partnerId: integer('partner_id'),
    json: text().notNull(),
    /** Has the same meaning as in `deals`. */
    given: integer(),
    /** The transaction that wrote the deal, and its database cluster. Null if the deal was removed. */
    version: text(),
  },
  (former) => [primaryKey({ columns: [former.importId, former.dealId] })],
)
