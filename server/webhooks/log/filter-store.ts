import { type SQL, and, eq, gt, gte, inArray, isNotNull, or, sql } from 'drizzle-orm'
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

/** Matches of a search: deals, and the status of the last response. */
export interface LogSearch {
  dealIds: readonly bigint[]
  /** Status of the last response. */
  status: number | null
}

export interface DeliveryFilter {
  kind?: EndpointKey | undefined
  state?: LogState | undefined
  dealId?: bigint | undefined
  search?: LogSearch | undefined
  /** Earliest creation time, inclusive. */
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

/** Returns the tenant's matches of a search text, or undefined if the text is empty. */
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
