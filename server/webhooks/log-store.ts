import { type SQL, and, eq, gt, gte, inArray, isNotNull, or, sql, asc, desc } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import { events } from '#db/schema/deals.ts'
import { deliveries, attempts, endpoints } from '#db/schema/webhooks.ts'
import type { TenantScope, PartnerId } from '../accounts/partner.ts'
import { within } from '../accounts/store.ts'
import type { EventType } from '../deals/event.ts'
import { findFirst } from '../search/store.ts'
import { initialSort } from '../search/wire.ts'
import { parseInt64 } from '../values/int64.ts'
import { utc } from '../values/zone.ts'
import type { EndpointKey } from './delivery.ts'
import { isTo } from './store.ts'
import type { LogState } from './wire.ts'

/** Matches of a search: deals, and the status of the last response. */
export interface LogSearch {
  dealIds: readonly bigint[]
  status: number | null
}

export interface DeliveryFilter {
  kind?: EndpointKey | undefined
  state?: LogState | undefined
  dealId?: bigint | undefined
  search?: LogSearch | undefined
  since?: Date | undefined
}

/** The filter and the position of a page of the log. */
export interface LogFilter extends DeliveryFilter {
  /** Id of the last delivery on the previous page. */
  behind?: number | undefined
  limit: number
}

// Maximum number of deals that a search by name considers, most recently changed first, which bounds the
// cost.
const dealsMax = 200

/**
 * Returns the tenant's matches of a search text, or undefined if the text is empty. A three-digit number can be
 * a status or a deal.
 */
export async function findSearched(
  db: Database,
  tenant: TenantScope,
  text: string = '',
): Promise<LogSearch | undefined> {
  const search = text.trim()
  if (search === '') return undefined
  const dealId = parseInt64(search)
  if (dealId !== null)
    return { status: /^[1-5]\d\d$/.test(search) ? Number(search) : null, dealIds: [dealId] }
  // The search contains only words, so the time zone does not matter.
  const found = await findFirst(db, { tenant, filter: { search }, zone: utc }, initialSort, dealsMax)
  return { status: null, dealIds: found.map(({ cursor }) => cursor.id) }
}

const isRetrying = sql`${deliveries.state} = 'waiting' and ${deliveries.step} > 0`

// Requires a due time so that the queue's own index can be used.
const isQueued = and(sql`${deliveries.state} = 'waiting'`, isNotNull(deliveries.dueAt))
const conditionOf: Record<LogState, SQL | undefined> = {
  delivered: sql`${deliveries.state} = 'delivered'`,
  waiting: and(isQueued, eq(deliveries.step, 0)),
  retrying: and(isQueued, gt(deliveries.step, 0)),
  failed: sql`${deliveries.state} = 'failed'`,
}

/** Returns the conditions of a filter, except the search. */
export function conditionsOf({
  kind,
  state,
  dealId,
  since,
}: Omit<DeliveryFilter, 'search'>): (SQL | undefined)[] {
  return [
    // Uses literals instead of parameters, so that the planner knows that these indexes suffice.
    kind === undefined ? undefined : isTo(kind),
    state === undefined ? undefined : conditionOf[state],
    dealId === undefined ? undefined : eq(deliveries.dealId, dealId),
    since === undefined ? undefined : gte(deliveries.createdAt, since),
  ]
}

/** Returns the condition that a delivery matches the search. */
export const isSearched = ({ dealIds, status }: LogSearch) =>
  or(
    dealIds.length === 0 ? sql`false` : inArray(deliveries.dealId, [...dealIds]),
    status === null ? undefined : hasStatus(status),
  )

// The index by status omits 200, the status of nearly all deliveries. The case expression makes the planner
// expect many matches and scan the log.
const hasStatus = (status: number) =>
  status === 200
    ? sql`case when ${deliveries.state} = 'delivered' and coalesce(${deliveries.lastStatus}, (select attempt.status from attempts attempt where attempt.delivery_id = ${deliveries.id} order by attempt.number desc limit 1)) = 200 then true else false end`
    : sql`${deliveries.lastStatus} = ${sql.raw(String(Math.trunc(status)))}`

/**
 * Returns the ids of the newest deliveries that match a search under these conditions, read by the indexes on
 * deal and status. Collects the ids in an array so that the planner does not scan the log in the hope of
 * early matches.
 */
function newestSearched({ dealIds, status }: LogSearch, conditions: (SQL | undefined)[], limit: number): SQL {
  const newest = (condition: SQL) => sql`
    select id, created_at from deliveries where ${and(...conditions, condition)}
      order by deliveries.created_at desc, deliveries.id desc limit ${limit}`
  const parts = [
    ...(status === null ? [] : [sql`(${newest(hasStatus(status))})`]),
    ...(dealIds.length === 0
      ? []
      : [
          sql`(select found.* from unnest(${`{${dealIds.join(',')}}`}::bigint[]) deal(id)
            cross join lateral (${newest(sql`deliveries.deal_id = deal.id`)}) found
            order by found.created_at desc, found.id desc limit ${limit})`,
        ]),
  ]
  return parts.length === 0
    ? sql`any('{}'::bigint[])`
    : sql`any(array(select id from (${sql.join(parts, sql` union `)}) searched))`
}

const summary = {
  id: deliveries.id,
  messageId: deliveries.messageId,
  kind: deliveries.kind,
  /** Name of the subscription. Null if there is none or it was deleted. */
  endpointName: sql<
    string | null
  >`(select name from endpoints where endpoints.partner_id = deliveries.partner_id and endpoints.kind = deliveries.kind)`.as(
    'endpoint_name',
  ),
  /** Type of an event sent to a subscription. Null for tests and for events that were removed. */
  type: sql<EventType | null>`case when deliveries.kind <> 'create' and deliveries.kind <> 'update' then (select type from events where events.partner_id = deliveries.partner_id and events.sequence = deliveries.sequence) end`.as(
    'event_type',
  ),
  sequence: deliveries.sequence,
  dealId: deliveries.dealId,
  state: sql<LogState>`case when ${isRetrying} then 'retrying' else ${deliveries.state} end`.as('log_state'),
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

/** Returns the tenant's deliveries, newest first. */
export function readLog(db: Database, tenant: TenantScope, filter: LogFilter) {
  const { behind, limit, search, ...rest } = filter
  const conditions = [
    // Each partner's rows are read from an index that begins with the partner.
    eq(deliveries.partnerId, partners.id),
    ...conditionsOf(rest),
    behind === undefined
      ? undefined
      : sql`(${deliveries.createdAt}, ${deliveries.id}) < (select at.created_at, at.id from deliveries at where at.id = ${behind} and ${within(tenant, sql`at.partner_id`)})`,
  ]
  const log = db
    .select(summary)
    .from(deliveries)
    .where(
      search === undefined
        ? and(...conditions)
        : eq(deliveries.id, newestSearched(search, conditions, limit)),
    )
    .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
    .limit(limit)
    .as('log')
  return db
    .select({ ...shownOf(log), partner: partnerName })
    .from(partners)
    .innerJoinLateral(log, sql`true`)
    .where(within(tenant, sql`${partners.id}`))
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

/** Returns a delivery of the tenant with its body and stored attempts, or undefined. */
export async function readDelivery(db: Database, tenant: TenantScope, id: number) {
  const [delivery] = await db
    .select({
      ...summary,
      partner: partnerName,
      switchedOffAt: endpoints.switchedOffAt,
      body: sql<
        string | null
      >`coalesce(${deliveries.testBody}, sent_body(${events.body}, ${deliveries.filter}))`,
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
    .where(and(within(tenant, sql`${deliveries.partnerId}`), eq(deliveries.id, id)))
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

/** Returns the partner's newest request with an unexpired signature, as the receiver got it, or undefined. */
export async function readLastRequest(db: Database, partnerId: PartnerId) {
  const [row] = await db.execute<{ id: string; timestamp: string; signature: string; body: string }>(sql`
    select delivery.message_id as id, floor(extract(epoch from attempt.started_at))::text as timestamp, attempt.signature, coalesce(delivery.test_body, sent_body(event.body, delivery.filter)) as body
    from (select * from deliveries where partner_id = ${partnerId} order by created_at desc, id desc limit ${lookedAt}) delivery
    join attempts attempt on attempt.delivery_id = delivery.id
    left join events event on event.partner_id = delivery.partner_id and event.sequence = delivery.sequence
    where coalesce(delivery.test_body, event.body) is not null
      and attempt.started_at >= (select created_at from webhook_secrets where partner_id = ${partnerId} and expires_at is null)
    order by delivery.created_at desc, delivery.id desc, attempt.number desc limit 1`)
  return row
}

// Maximum number of deliveries searched for one that was sent. Waiting deliveries may not have been sent yet.
const lookedAt = 200
