import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { FilterResult, FilterTerms } from '#server/deals/event-facts.ts'
import type { EventType } from '#server/deals/event.ts'
import type { EventFilter } from '#server/search/event-filter.ts'
import type { DeliveryState, EndpointKey } from '#server/webhooks/delivery.ts'
import { partners } from './accounts.ts'

/**
 * The endpoints of a partner: its two URLs, `create` and `update`, where no row means not set, and its
 * subscriptions by their ids.
 */
export const endpoints = pgTable(
  'endpoints',
  {
    partnerId: integer('partner_id')
      .notNull()
      .references(() => partners.id),
    kind: text().$type<EndpointKey>().notNull(),
    url: text().notNull(),
    /** Of a subscription, as are the columns up to `sinceSequence`. */
    name: text(),
    /** The types of events that it gets; null for the two URLs. */
    events: text().array().$type<EventType[]>(),
    /** The filter as it was given, a query or an object; null without one. */
    filter: jsonb().$type<EventFilter>(),
    /** What `event_result` compares, of the filter and the changed fields; null for every event. */
    terms: jsonb().$type<FilterTerms>(),
    /** The terms apply to the events after this one. */
    sinceSequence: bigint('since_sequence', { mode: 'number' }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
    /** When the current series of failures began; null if the last attempt succeeded. */
    failingSince: timestamp('failing_since', { withTimezone: true }),
    /** The last response while it is failing: a status, or the reason for no complete one. */
    failingAnswer: text('failing_answer'),
    /** When it was last tested or checked manually; null since its URL was set or it was enabled. */
    checkedAt: timestamp('checked_at', { withTimezone: true }),
    /** Why that test failed, like `failingAnswer`; null if it passed, or an event was delivered since. */
    checkAnswer: text('check_answer'),
    /** End of its last pause after a response that asks for fewer requests; null if there was none lately. */
    pausedUntil: timestamp('paused_until', { withTimezone: true }),
    /** The status of that response. */
    slowedStatus: smallint('slowed_status'),
    /** Null while it is enabled. */
    switchedOffAt: timestamp('switched_off_at', { withTimezone: true }),
    /** The reason it is off: it responded with 410, failed for too long, or its partner is suspended. */
    switchedOffBecause: text('switched_off_because', { enum: ['gone', 'failing', 'suspended'] }),
  },
  (endpoint) => [
    primaryKey({ columns: [endpoint.partnerId, endpoint.kind] }),
    check(
      'endpoints_switched_off_because',
      sql`(${endpoint.switchedOffAt} is null) = (${endpoint.switchedOffBecause} is null)`,
    ),
  ],
)

/** Signing secrets of a partner. One is current; older ones stay valid until they expire. */
export const webhookSecrets = pgTable(
  'webhook_secrets',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    partnerId: integer('partner_id')
      .notNull()
      .references(() => partners.id),
    /** The encrypted secret, base64. */
    encrypted: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** Null for the current one. */
    expiresAt: timestamp('expires_at', { withTimezone: true }),
  },
  (secret) => [
    uniqueIndex('webhook_secrets_current')
      .on(secret.partnerId)
      .where(sql`${secret.expiresAt} is null`),
    index().on(secret.partnerId),
  ],
)

/**
 * One event for one endpoint: the row is both the queue and the record. A trigger (`enqueue_deliveries`)
 * inserts it in the transaction of the event, so no event can be written without it.
 */
export const deliveries = pgTable(
  'deliveries',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The `webhook-id` of all attempts. */
    messageId: uuid('message_id').notNull().defaultRandom(),
    partnerId: integer('partner_id')
      .notNull()
      .references(() => partners.id),
    kind: text().$type<EndpointKey>().notNull(),
    /** Sequence of the event; null for a test, which has its own body. */
    sequence: bigint({ mode: 'number' }),
    dealId: bigint('deal_id', { mode: 'bigint' }),
    testBody: text('test_body'),
    /** How the deal passed the filter of the subscription; null without one. */
    filter: text().$type<FilterResult>(),
    /** Failed: the schedule is used up, the endpoint was removed, or the delivery was withdrawn. */
    state: text().$type<DeliveryState>().notNull().default('waiting'),
    /** Time of the next attempt; null unless waiting. */
    dueAt: timestamp('due_at', { withTimezone: true }),
    /** The end of the current lease; null without one. */
    leasedUntil: timestamp('leased_until', { withTimezone: true }),
    /** Number of leases so far; results of an earlier lease are discarded. */
    lease: integer().notNull().default(0),
    /** Number of attempts. */
    attemptCount: integer('attempt_count').notNull().default(0),
    /** Status of the last response; null without one. */
    lastStatus: smallint('last_status'),
    /** Position in the schedule; restarts when it is resent. */
    step: smallint().notNull().default(0),
    /** Number of refusals since the last attempt that counts: of a slowed endpoint, they use up none. */
    refusals: smallint().notNull().default(0),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    finishedAt: timestamp('finished_at', { withTimezone: true }),
    /**
     * Why it is never sent again: the deal left the partner (trigger `withdraw_deliveries`). Null while the
     * deal belongs to the partner.
     */
    withdrawnBecause: text('withdrawn_because', { enum: ['moved', 'unassigned', 'removed'] }),
  },
  (delivery) => [
    // Each of these two indexes serves one query with its exact condition: before the planner has statistics
    // of a burst, every usable index looks equally cheap.
    index('deliveries_due')
      .on(delivery.partnerId, delivery.kind, delivery.dueAt, delivery.sequence)
      .where(sql`${delivery.state} = 'waiting' and ${delivery.dueAt} is not null`),
    // Deliveries behind one of the same deal: queried by state and a bound on the sequence, never by time.
    index('deliveries_chain')
      .on(delivery.partnerId, delivery.dealId, delivery.sequence)
      .where(sql`${delivery.state} = 'waiting' and ${delivery.sequence} is not null`),
    // The log, newest first, and its filters.
    index('deliveries_log').on(delivery.partnerId, delivery.createdAt, delivery.id),
    // Finds the few of one kind among the many of the other; without statistics, the planner would prefer an
    // index by kind over one by deal.
    index('deliveries_log_of_create')
      .on(delivery.partnerId, delivery.createdAt, delivery.id)
      .where(sql`${delivery.kind} = 'create'`),
    // The subscriptions, each of which may have few among many; the two URLs need no part of it.
    index('deliveries_log_of_subscription')
      .on(delivery.partnerId, delivery.kind, delivery.createdAt, delivery.id)
      .where(sql`${delivery.kind} <> 'create' and ${delivery.kind} <> 'update'`),
    index('deliveries_log_of_deal').on(delivery.partnerId, delivery.dealId, delivery.createdAt, delivery.id),
    index('deliveries_log_of_failed')
      .on(delivery.partnerId, delivery.createdAt, delivery.id)
      .where(sql`${delivery.state} = 'failed'`),
    // Search by status code, without the most frequent one, 200.
    index('deliveries_log_of_status')
      .on(delivery.partnerId, delivery.lastStatus, delivery.createdAt, delivery.id)
      .where(sql`${delivery.lastStatus} <> 200`),
    check(
      'deliveries_due_while_waiting',
      sql`(${delivery.state} = 'waiting') = (${delivery.dueAt} is not null)`,
    ),
    check(
      'deliveries_test_or_event',
      sql`(${delivery.sequence} is null) = (${delivery.testBody} is not null)`,
    ),
  ],
)

/** One request of a delivery, and its response. */
export const attempts = pgTable(
  'attempts',
  {
    deliveryId: bigint('delivery_id', { mode: 'number' })
      .notNull()
      .references(() => deliveries.id, { onDelete: 'cascade' }),
    number: integer().notNull(),
    /** Also the `webhook-timestamp`, in whole seconds. */
    startedAt: timestamp('started_at', { withTimezone: true }).notNull(),
    durationMs: integer('duration_ms').notNull(),
    url: text().notNull(),
    /** The `webhook-signature`. */
    signature: text().notNull(),
    /** Null without a response. */
    status: smallint(),
    /** Why there was no complete response; null if there was one. */
    error: text(),
    /** Number of earlier requests that this row replaced: a slowed endpoint may refuse a delivery many times. */
    refusals: integer().notNull().default(0),
    responseHeaders: text('response_headers').notNull(),
    responseBody: text('response_body').notNull(),
  },
  (attempt) => [primaryKey({ columns: [attempt.deliveryId, attempt.number] }), index().on(attempt.startedAt)],
)

/** A process that sends webhooks. */
export const workers = pgTable('workers', {
  id: uuid().primaryKey(),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull().defaultNow(),
  /** Its last heartbeat. */
  seenAt: timestamp('seen_at', { withTimezone: true }).notNull().defaultNow(),
})
