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
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { FilterResult, FilterTerms } from '#server/deals/event-facts.ts'
import type { EventType } from '#server/deals/event.ts'
import type { EventFilter } from '#server/search/parameters.ts'
import type { DeliveryState, EndpointKey } from '#server/webhooks/delivery.ts'
import { instant, partnerRef } from './accounts.ts'

/**
 * The endpoints of a partner: its two URLs, `create` and `update`, which have a row only if set, and its
 * subscriptions by id.
 */
export const endpoints = pgTable(
  'endpoints',
  {
    partnerId: partnerRef(),
    kind: text().$type<EndpointKey>().notNull(),
    url: text().notNull(),
    /** Name of a subscription. The columns from here to `sinceSequence` are set only for subscriptions. */
    name: text(),
    /** Types of events that the subscription receives. Null for the two URLs. */
    events: text().array().$type<EventType[]>(),
    /** The filter as entered, a query string or an object, or null if there is none. */
    filter: jsonb().$type<EventFilter>(),
    /**
     * The parts of the filter and the changed fields that `event_result` compares. Null to receive every
     * event.
     */
    terms: jsonb().$type<FilterTerms>(),
    /** Sequence number of the last event before the terms took effect. */
    sinceSequence: bigint('since_sequence', { mode: 'number' }),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
    /** When the current series of failures began, or null if the last attempt succeeded. */
    failingSince: instant('failing_since'),
    /** Last response of a failing endpoint: a status, or the reason why there was no complete response. */
    failingAnswer: text('failing_answer'),
    /**
     * When the endpoint was last tested or checked manually. Null if that was before its URL was set or it
     * was enabled.
     */
    checkedAt: instant('checked_at'),
    /**
     * Reason why the last manual test or check failed, in the form of `failingAnswer`. Null if it passed or
     * an event has been delivered since.
     */
    checkAnswer: text('check_answer'),
    /**
     * End of the last pause after a response that asked for fewer requests, or null if there was no such
     * response recently.
     */
    pausedUntil: instant('paused_until'),
    /** HTTP status of the last response that asked for fewer requests. */
    slowedStatus: smallint('slowed_status'),
    /** Null while the endpoint is enabled. */
    switchedOffAt: instant('switched_off_at'),
    /**
     * Reason why the endpoint is off: it responded with 410, failed for too long, or its partner is
     * suspended.
     */
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

/** Signing secrets of a partner. The newest is current; older secrets stay valid until they expire. */
export const webhookSecrets = pgTable(
  'webhook_secrets',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    partnerId: partnerRef(),
    /** Encrypted secret, base64. */
    encrypted: text().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** Null for the current secret. */
    expiresAt: instant('expires_at'),
  },
  (secret) => [
    uniqueIndex('webhook_secrets_current')
      .on(secret.partnerId)
      .where(sql`${secret.expiresAt} is null`),
    index().on(secret.partnerId),
  ],
)

/**
 * The delivery of one event to one endpoint. Rows serve as both the queue and the log. A trigger
 * (`enqueue_deliveries`) inserts deliveries in the transaction of the event, so no event can be written
 * without its deliveries.
 */
export const deliveries = pgTable(
  'deliveries',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The `webhook-id` of all attempts. */
    messageId: uuid('message_id').notNull().defaultRandom(),
    partnerId: partnerRef(),
    kind: text().$type<EndpointKey>().notNull(),
    /** Sequence number of the event. Null for a test, which has its own body. */
    sequence: bigint({ mode: 'number' }),
    dealId: bigint('deal_id', { mode: 'bigint' }),
    testBody: text('test_body'),
    /** Result of the subscription's filter for the event, or null if there is no filter. */
    filter: text().$type<FilterResult>(),
    /**
     * A delivery fails when its schedule is exhausted, its endpoint is removed, or the delivery is withdrawn.
     */
    state: text().$type<DeliveryState>().notNull().default('waiting'),
    /** Time of the next attempt. Null unless the delivery is waiting. */
    dueAt: instant('due_at'),
    /** End of the current lease, or null if not leased. */
    leasedUntil: instant('leased_until'),
    /** Number of leases so far. Results of earlier leases are discarded. */
    lease: integer().notNull().default(0),
    attemptCount: integer('attempt_count').notNull().default(0),
    /** Status of the last response, or null if there was none. */
    lastStatus: smallint('last_status'),
    /** Position in the retry schedule. Restarts when the delivery is resent. */
    step: smallint().notNull().default(0),
    /**
     * Number of rejections since the last attempt that counts. Rejections by a slowed endpoint do not use up
     * attempts.
     */
    refusals: smallint().notNull().default(0),
    createdAt: instant('created_at').notNull().defaultNow(),
    finishedAt: instant('finished_at'),
    /**
     * Reason why the delivery is never sent again: the deal left the partner (trigger `withdraw_deliveries`).
     * Null while the deal belongs to the partner.
     */
    withdrawnBecause: text('withdrawn_because', { enum: ['moved', 'unassigned', 'removed'] }),
  },
  (delivery) => [
    // Each of the next two indexes matches the condition of one query exactly. Until the planner has
    // statistics about a burst of events, every usable index looks equally cheap.
    index('deliveries_due')
      .on(delivery.partnerId, delivery.kind, delivery.dueAt, delivery.sequence)
      .where(sql`${delivery.state} = 'waiting' and ${delivery.dueAt} is not null`),
    // For deliveries that wait behind another delivery of the same deal. Queried by state and a limit on the
    // sequence number, never by time.
    index('deliveries_chain')
      .on(delivery.partnerId, delivery.dealId, delivery.sequence)
      .where(sql`${delivery.state} = 'waiting' and ${delivery.sequence} is not null`),
    // For the log, newest first, and its filters.
    index('deliveries_log').on(delivery.partnerId, delivery.createdAt, delivery.id),
    // For finding the few deliveries to one URL among many to the other. Without statistics, the planner
    // would prefer an index by kind to an index by deal.
    index('deliveries_log_of_create')
      .on(delivery.partnerId, delivery.createdAt, delivery.id)
      .where(sql`${delivery.kind} = 'create'`),
    // For subscriptions, some of which may have few deliveries among many. The two URLs do not need this
    // index.
    index('deliveries_log_of_subscription')
      .on(delivery.partnerId, delivery.kind, delivery.createdAt, delivery.id)
      .where(sql`${delivery.kind} <> 'create' and ${delivery.kind} <> 'update'`),
    index('deliveries_log_of_deal').on(delivery.partnerId, delivery.dealId, delivery.createdAt, delivery.id),
    index('deliveries_log_of_failed')
      .on(delivery.partnerId, delivery.createdAt, delivery.id)
      .where(sql`${delivery.state} = 'failed'`),
    // For searching by status code, except the most frequent status, 200.
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

/** One request of a delivery and its response. */
export const attempts = pgTable(
  'attempts',
  {
    deliveryId: bigint('delivery_id', { mode: 'number' })
      .notNull()
      .references(() => deliveries.id, { onDelete: 'cascade' }),
    number: integer().notNull(),
    /** Also the value of `webhook-timestamp`, in whole seconds. */
    startedAt: instant('started_at').notNull(),
    durationMs: integer('duration_ms').notNull(),
    url: text().notNull(),
    /** Value of the `webhook-signature` header. */
    signature: text().notNull(),
    /** Null if there was no response. */
    status: smallint(),
    /** Reason why there was no complete response, or null if there was one. */
    error: text(),
    /**
     * Number of earlier requests that this row replaced, because a slowed endpoint may reject a delivery many
     * times.
     */
    refusals: integer().notNull().default(0),
    responseHeaders: text('response_headers').notNull(),
    responseBody: text('response_body').notNull(),
  },
  (attempt) => [primaryKey({ columns: [attempt.deliveryId, attempt.number] }), index().on(attempt.startedAt)],
)

/** A process that sends webhooks. */
export const workers = pgTable('workers', {
  id: uuid().primaryKey(),
  startedAt: instant('started_at').notNull().defaultNow(),
  /** Time of the last heartbeat. */
  seenAt: instant('seen_at').notNull().defaultNow(),
})
