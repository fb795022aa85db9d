import { type SQL, and, eq, gt, gte, inArray, isNotNull, lt, or, sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { deliveries } from '#db/schema/webhooks.ts'
import type { TenantScope } from '../../accounts/partner.ts'
import { findFirst } from '../../search/store.ts'
import { initialSort } from '../../search/wire.ts'
import { utc } from '../../values/zone.ts'
import type { EndpointKey } from '../delivery.ts'
import { isTo } from '../store.ts'
import type { LogState } from '../wire.ts'
import { readSearch } from './search.ts'

/** The deals and the status found by a search. */
export interface LogSearch {
  dealIds: readonly bigint[]
  /** The status of the last response. */
  status: number | null
}

/** A filter of deliveries. */
export interface DeliveryFilter {
  kind?: EndpointKey | undefined
  state?: LogState | undefined
  dealId?: bigint | undefined
  search?: LogSearch | undefined
  /** Created at this time or later. */
  since?: Date | undefined
  /** Created before this time. */
  until?: Date | undefined
}

/** A page of the log. */
export interface LogFilter extends DeliveryFilter {
  /** The id of the delivery after which the page begins. */
  behind?: number | undefined
  limit: number
}

// A search by name covers the most recently changed deals, which bounds its cost.
const dealsMax = 200

/** Returns the tenant's matches of a search text; undefined if it is empty. */
export async function findSearched(
  db: Database,
  tenant: TenantScope,
  text: string | undefined,
): Promise<LogSearch | undefined> {
  const terms = readSearch(text ?? '')
  if (terms === null) return undefined
  const { status, dealId, words } = terms
  if (dealId !== null) return { status, dealIds: [dealId] }
  // The search contains only words, so the time zone does not matter.
  const found = await findFirst(db, { tenant, filter: { search: words }, zone: utc }, initialSort, dealsMax)
  return { status, dealIds: found.map(({ cursor }) => cursor.id) }
}

export const isRetrying = sql`${deliveries.state} = 'waiting' and ${deliveries.step} > 0`

// The queue's own index suffices with a due time.
const isQueued = and(sql`${deliveries.state} = 'waiting'`, isNotNull(deliveries.dueAt))
const conditionOf: Record<LogState, SQL | undefined> = {
  delivered: sql`${deliveries.state} = 'delivered'`,
  waiting: and(isQueued, eq(deliveries.step, 0)),
  retrying: and(isQueued, gt(deliveries.step, 0)),
  failed: sql`${deliveries.state} = 'failed'`,
}

/** Returns the conditions of a filter, without its search. */
export function conditionsOf({
  kind,
  state,
  dealId,
  since,
  until,
}: Omit<DeliveryFilter, 'search'>): (SQL | undefined)[] {
  return [
    // Literals, not parameters: the planner must know that these indexes alone suffice.
    kind === undefined ? undefined : isTo(kind),
    state === undefined ? undefined : conditionOf[state],
    dealId === undefined ? undefined : eq(deliveries.dealId, dealId),
    since === undefined ? undefined : gte(deliveries.createdAt, since),
    until === undefined ? undefined : lt(deliveries.createdAt, until),
  ]
}

/** Returns the condition that a search matches a delivery. */
export const isSearched = ({ dealIds, status }: LogSearch) =>
  or(
    dealIds.length === 0 ? sql`false` : inArray(deliveries.dealId, [...dealIds]),
    status === null ? undefined : hasStatus(status),
  )

// The index by status omits 200, which nearly all deliveries have. The case expression makes the planner expect many
// matches and scan the log.
const hasStatus = (status: number) =>
  status === 200
    ? sql`case when ${deliveries.state} = 'delivered' and coalesce(${deliveries.lastStatus}, (select attempt.status from attempts attempt where attempt.delivery_id = ${deliveries.id} order by attempt.number desc limit 1)) = 200 then true else false end`
    : sql`${deliveries.lastStatus} = ${sql.raw(String(Math.trunc(status)))}`

/**
 * Returns the ids of the newest deliveries that match a search under these conditions, read by the indexes of deals
 * and of the status. They are an array, so that the planner does not scan the log for early matches.
 */
export function newestSearched(
  { dealIds, status }: LogSearch,
  conditions: (SQL | undefined)[],
  limit: number,
): SQL {
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
