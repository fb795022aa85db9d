import { type SQL, and, asc, desc, eq, gt, gte, isNotNull, lt, sql } from 'drizzle-orm'
import { type Database, type Transaction, inBatches } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import { events } from '#db/schema/deals.ts'
import { attempts, deliveries, endpoints } from '#db/schema/webhooks.ts'
import type { PartnerId, Reach } from '../../accounts/partner.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { EndpointKind } from '../delivery.ts'
import { type LogState, logStates, withdrawals } from '../wire.ts'

/** A filter of deliveries. */
export interface LogFilter {
  kind?: EndpointKind | undefined
  state?: LogState | undefined
  dealId?: bigint | undefined
  /** Created at this time or later. */
  since?: Date | undefined
  /** Created before this time. */
  until?: Date | undefined
  /** Only those after this one in the order of the log. */
  behind?: number | undefined
  limit: number
}

const isRetrying = sql`${deliveries.state} = 'waiting' and ${deliveries.step} > 0`

const summary = {
  id: deliveries.id,
  messageId: deliveries.messageId,
  kind: deliveries.kind,
  /** Null for a test. */
  sequence: deliveries.sequence,
  dealId: deliveries.dealId,
  state: sql<LogState>`case when ${isRetrying} then 'retrying' else ${deliveries.state} end`.as('log_state'),
  /** The status of the last response to one that is retrying; null without one. */
  lastStatus: sql<
    number | null
  >`case when ${isRetrying} then (select status from attempts where delivery_id = ${deliveries.id} order by number desc limit 1) end`.as(
    'last_status',
  ),
  dueAt: deliveries.dueAt,
  attemptCount: deliveries.attemptCount,
  createdAt: deliveries.createdAt,
  finishedAt: deliveries.finishedAt,
  withdrawnBecause: deliveries.withdrawnBecause,
}

/** Returns the deliveries within reach, newest first. */
export function readLog(db: Database, reach: Reach, filter: LogFilter) {
  const { kind, state, dealId, since, until, behind, limit } = filter
  // Each partner's part comes from an index that begins with the partner.
  const log = db
    .select(summary)
    .from(deliveries)
    .where(
      and(
        eq(deliveries.partnerId, partners.id),
        // Literals, not parameters: the planner must know that this index alone suffices.
        kind === undefined ? undefined : eq(deliveries.kind, sql.raw(`'${kindNames[kind]}'`)),
        state === undefined ? undefined : conditionOf[state],
        dealId === undefined ? undefined : eq(deliveries.dealId, dealId),
        since === undefined ? undefined : gte(deliveries.createdAt, since),
        until === undefined ? undefined : lt(deliveries.createdAt, until),
        behind === undefined
          ? undefined
          : sql`(${deliveries.createdAt}, ${deliveries.id}) < (select at.created_at, at.id from deliveries at where at.id = ${behind} and ${within(reach, sql`at.partner_id`)})`,
      ),
    )
    .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
    .limit(limit)
    .as('log')
  return db
    .select({ ...shownOf(log), partner: partnerName })
    .from(partners)
    .innerJoinLateral(log, sql`true`)
    .where(within(reach, sql`${partners.id}`))
    .orderBy(desc(log.createdAt), desc(log.id))
    .limit(limit)
}

const partnerName = { slug: partners.slug, name: partners.name }

function shownOf<Log extends Record<keyof typeof summary, unknown>>(
  log: Log,
): Pick<Log, keyof typeof summary> {
  return Object.fromEntries(
    Object.keys(summary).map((name) => [name, log[name as keyof typeof summary]]),
  ) as Pick<Log, keyof typeof summary>
}

/** Returns the condition for one partner, or for all. */
const within = (reach: Reach, partnerId: SQL) => (reach === 0 ? sql`true` : sql`${partnerId} = ${reach}`)

const kindNames: Record<EndpointKind, string> = { create: 'create', update: 'update' }

// With a due time the queue's own index suffices.
const isQueued = and(sql`${deliveries.state} = 'waiting'`, isNotNull(deliveries.dueAt))
const conditionOf: Record<LogState, SQL | undefined> = {
  delivered: sql`${deliveries.state} = 'delivered'`,
  waiting: and(isQueued, eq(deliveries.step, 0)),
  retrying: and(isQueued, gt(deliveries.step, 0)),
  failed: sql`${deliveries.state} = 'failed'`,
}

/** The deliveries of an hour by their current state. */
export type Hour = {
  /** The start of the hour. */
  at: Date
} & Record<LogState, number>

/**
 * Returns the deliveries within reach of the last 24 hours, by hour, oldest first; hours without any are
 * omitted.
 */
export async function readDay(db: Database, reach: Reach): Promise<Hour[]> {
  const rows = await db.execute<{ at: string } & Record<LogState, number>>(sql`
    select date_trunc('hour', day.created_at)::text as at, ${sql.join(
      logStates.map(
        (state) => sql`
      count(*) filter (where day.state = ${state})::integer as ${sql.identifier(state)}`,
      ),
      sql`, `,
    )}
    from partners cross join lateral (
      select created_at, case when ${isRetrying} then 'retrying' else state end as state
      from deliveries where partner_id = partners.id and created_at > date_trunc('hour', now()) - interval '23 hours'
    ) day where ${within(reach, sql`partners.id`)} group by 1 order by 1`)
  return rows.map(({ at, ...counts }) => ({ at: new Date(at), ...counts }))
}

/**
 * Returns a delivery within reach with its body and all stored attempts, or undefined when it does not exist.
 */
export async function readDelivery(db: Database, reach: Reach, id: number) {
  const [delivery] = await db
    .select({
      ...summary,
      partner: partnerName,
      switchedOffAt: endpoints.switchedOffAt,
      body: sql<string | null>`coalesce(${deliveries.testBody}, ${events.body})`,
    })
    .from(deliveries)
    .innerJoin(partners, eq(partners.id, deliveries.partnerId))
    .leftJoin(
      endpoints,
      and(eq(endpoints.partnerId, deliveries.partnerId), eq(endpoints.kind, deliveries.kind)),
    )
    .leftJoin(
      events,
      and(eq(events.partnerId, deliveries.partnerId), eq(events.sequence, deliveries.sequence)),
    )
    .where(and(within(reach, sql`${deliveries.partnerId}`), eq(deliveries.id, id)))
  if (delivery === undefined) return undefined
  return {
    ...delivery,
    attempts: await db
      .select()
      .from(attempts)
      .where(eq(attempts.deliveryId, id))
      .orderBy(asc(attempts.number)),
  }
}

/**
 * Returns the partner's newest request with an unexpired signature, as the receiver got it; undefined when
 * there is none.
 */
export async function readLastRequest(db: Database, partnerId: PartnerId) {
  const [row] = await db.execute<{ id: string; timestamp: string; signature: string; body: string }>(sql`
    select delivery.message_id as id, floor(extract(epoch from attempt.started_at))::text as timestamp, attempt.signature, coalesce(delivery.test_body, event.body) as body
    from (select * from deliveries where partner_id = ${partnerId} order by created_at desc, id desc limit ${lookedAt}) delivery
    join attempts attempt on attempt.delivery_id = delivery.id
    left join events event on event.partner_id = delivery.partner_id and event.sequence = delivery.sequence
    where coalesce(delivery.test_body, event.body) is not null
      and attempt.started_at >= (select created_at from webhook_secrets where partner_id = ${partnerId} and expires_at is null)
    order by delivery.created_at desc, delivery.id desc, attempt.number desc limit 1`)
  return row
}

// Waiting ones may not have been sent yet, and the search for one that was must be bounded.
const lookedAt = 200

// This many rows are locked for a few ms.
const resendBatch = 1000

// The lease stays, so that a delivery in progress is not sent twice in parallel.
const sentAgain = sql`state = 'waiting', due_at = now(), step = 0, finished_at = null`

/**
 * Resends a delivery within reach, from the start of the schedule; a waiting one is sent at once. Returns
 * false when it does not exist or its endpoint is not set. Tests are not resent.
 * @throws Refusal 400 when it was withdrawn
 */
export async function resend(db: Database | Transaction, reach: Reach, id: number): Promise<boolean> {
  if ((await resendSome(db, reach, sql`delivery.id = ${id}`)) > 0) return true
  const [kept] = await db
    .select({ because: deliveries.withdrawnBecause })
    .from(deliveries)
    .where(and(eq(deliveries.id, id), within(reach, sql`${deliveries.partnerId}`)))
  if (kept?.because == null) return false
  const reason = withdrawals[kept.because]
  throw new Refusal('BAD_REQUEST', `Not resent: ${reason[0]!.toLowerCase()}${reason.slice(1)}`)
}

/** Returns how many deliveries within reach failed since then and can be resent. */
export async function countFailed(db: Database, reach: Reach, since: Date): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select count(*)::integer as count from deliveries delivery join endpoints using (partner_id, kind)
    where ${within(reach, sql`delivery.partner_id`)} and ${failedSince(since)}`)
  return row!.count
}

/** Resends all deliveries within reach that failed since then. Returns how many. */
export async function resendFailed(db: Database | Transaction, reach: Reach, since: Date): Promise<number> {
  const [row] = await db.execute<{ now: string }>(sql`select clock_timestamp()::text as now`)
  // Deliveries that fail again in the meantime have had their turn.
  const which = sql`${failedSince(since)} and delivery.finished_at <= ${row!.now}`
  return inBatches(resendBatch, () => resendSome(db, reach, which))
}

const failedSince = (since: Date) =>
  sql`delivery.state = 'failed' and delivery.created_at >= ${since.toISOString()} and ${isSendable}`

/** Tests are sent once; withdrawn deliveries are never sent again. */
const isSendable = sql`delivery.sequence is not null and delivery.withdrawn_because is null`

async function resendSome(db: Database | Transaction, reach: Reach, which: SQL): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    with again as (
      update deliveries set ${sentAgain} where id in (
        select delivery.id from deliveries delivery join endpoints using (partner_id, kind)
        where ${within(reach, sql`delivery.partner_id`)} and ${isSendable} and ${which}
        order by delivery.created_at, delivery.id limit ${resendBatch}
        for update of delivery for key share of endpoints)
      returning partner_id, kind
    ), told as (select pg_notify('deliveries', partner_id || ':' || kind)
      from (select distinct partner_id, kind from again) kinds)
    select count(*)::integer as count, (select count(*) from told) as kinds from again`)
  return row!.count
}
