import { and, asc, desc, eq, gte, isNotNull, lt, sql } from 'drizzle-orm'
import { type Database, inBatches } from '#db/client.ts'
import { events } from '#db/schema/deals.ts'
import { attempts, deliveries } from '#db/schema/webhooks.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { DeliveryState, EndpointKind } from './delivery.ts'

/** Which deliveries are asked for. */
export interface LogFilter {
  kind?: EndpointKind | undefined
  state?: DeliveryState | undefined
  dealId?: bigint | undefined
  /** Made at this time or later. */
  since?: Date | undefined
  /** Made before this time. */
  until?: Date | undefined
  /** Those behind this one in the order of the log. */
  behind?: number | undefined
  limit: number
}

const summary = {
  id: deliveries.id,
  messageId: deliveries.messageId,
  kind: deliveries.kind,
  /** Null for a test. */
  sequence: deliveries.sequence,
  dealId: deliveries.dealId,
  state: deliveries.state,
  dueAt: deliveries.dueAt,
  attemptCount: deliveries.attemptCount,
  createdAt: deliveries.createdAt,
  finishedAt: deliveries.finishedAt,
}

/** The partner's deliveries, the newest first. */
export function readLog(db: Database, partnerId: PartnerId, filter: LogFilter) {
  const { kind, state, dealId, since, until, behind, limit } = filter
  return db.select(summary).from(deliveries).where(and(
    eq(deliveries.partnerId, partnerId),
    // Literals, not parameters: the planner has to know that the index of these alone will do.
    kind === undefined ? undefined : eq(deliveries.kind, sql.raw(`'${kindNames[kind]}'`)),
    state === undefined ? undefined : eq(deliveries.state, sql.raw(`'${stateNames[state]}'`)),
    // With which the queue's own index will do.
    state === 'waiting' ? isNotNull(deliveries.dueAt) : undefined,
    dealId === undefined ? undefined : eq(deliveries.dealId, dealId),
    since === undefined ? undefined : gte(deliveries.createdAt, since),
    until === undefined ? undefined : lt(deliveries.createdAt, until),
    behind === undefined ? undefined : sql`(${deliveries.createdAt}, ${deliveries.id}) < (select at.created_at, at.id from deliveries at where at.id = ${behind} and at.partner_id = ${partnerId})`,
  )).orderBy(desc(deliveries.createdAt), desc(deliveries.id)).limit(limit)
}

const kindNames: Record<EndpointKind, string> = { create: 'create', update: 'update' }
const stateNames: Record<DeliveryState, string> = { waiting: 'waiting', delivered: 'delivered', failed: 'failed' }

/** One of the partner's deliveries with its body and all attempts that are still kept; undefined when there is none. */
export async function readDelivery(db: Database, partnerId: PartnerId, id: number) {
  const [delivery] = await db.select({ ...summary, body: sql<string | null>`coalesce(${deliveries.testBody}, ${events.body})` }).from(deliveries)
    .leftJoin(events, and(eq(events.partnerId, deliveries.partnerId), eq(events.sequence, deliveries.sequence)))
    .where(and(eq(deliveries.partnerId, partnerId), eq(deliveries.id, id)))
  if (delivery === undefined) return undefined
  return { ...delivery, attempts: await db.select().from(attempts).where(eq(attempts.deliveryId, id)).orderBy(asc(attempts.number)) }
}

// So many rows are locked for some ms, and no more.
const resendBatch = 1000

// The lease stays: one that is underway is not sent a second time beside itself.
const sentAgain = sql`state = 'waiting', due_at = now(), step = 0, finished_at = null`

/**
 * Sends one of the partner's deliveries again, from the start of the schedule; one that waits is sent at once. Whether there
 * is such a delivery to an address that is set. Tests are not sent again.
 */
export async function resend(db: Database, partnerId: PartnerId, id: number): Promise<boolean> {
  return await resendSome(db, partnerId, sql`delivery.id = ${id}`) > 0
}

/** How many of the partner's deliveries since then failed and can be sent again. */
export async function countFailed(db: Database, partnerId: PartnerId, since: Date): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select count(*)::integer as count from deliveries delivery join endpoints using (partner_id, kind)
    where ${failedSince(partnerId, since)}`)
  return row!.count
}

/** Sends all of the partner's deliveries again that failed since then; gives how many. */
export async function resendFailed(db: Database, partnerId: PartnerId, since: Date): Promise<number> {
  const [row] = await db.execute<{ now: string }>(sql`select now()::text as now`)
  // Those that fail again meanwhile had their turn.
  const which = sql`${failedSince(partnerId, since)} and delivery.finished_at <= ${row!.now}`
  return inBatches(resendBatch, () => resendSome(db, partnerId, which))
}

const failedSince = (partnerId: PartnerId, since: Date) => sql`
  delivery.partner_id = ${partnerId} and delivery.state = 'failed' and delivery.created_at >= ${since.toISOString()} and delivery.sequence is not null`

async function resendSome(db: Database, partnerId: PartnerId, which: ReturnType<typeof sql>): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    with again as (
      update deliveries set ${sentAgain} where id in (
        select delivery.id from deliveries delivery join endpoints using (partner_id, kind)
        where delivery.partner_id = ${partnerId} and delivery.sequence is not null and ${which}
        order by delivery.created_at, delivery.id limit ${resendBatch} for update of delivery for key share of endpoints)
      returning kind
    ), told as (select pg_notify('deliveries', ${`${partnerId}:`} || kind) from (select distinct kind from again) kinds)
    select count(*)::integer as count, (select count(*) from told) as kinds from again`)
  return row!.count
}
