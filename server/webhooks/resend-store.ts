import { type SQL, and, eq, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { type Database, type Transaction, inBatches } from '#db/client.ts'
import { deliveries } from '#db/schema/webhooks.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { within } from '../accounts/store.ts'
import { ApiError } from '../errors.ts'
import { type DeliveryFilter, conditionsOf, isSearched } from './log-store.ts'
import { type ResendState, withdrawals } from './wire.ts'

// Number of rows per batch. Locks the rows for a few milliseconds.
const resendBatch = 1000

// Keeps the lease, so that a delivery in progress is not sent twice in parallel.
const resentDeliveries = sql`state = 'waiting', due_at = now(), step = 0, finished_at = null`

/**
 * Resends a delivery of the tenant from the start of the schedule. A waiting delivery becomes due now.
 * Returns false if the delivery or its endpoint does not exist. Tests cannot be resent.
 * @throws ApiError 400 if it was withdrawn
 */
export async function resend(db: Database | Transaction, tenant: TenantScope, id: number): Promise<boolean> {
  if ((await resendSome(db, tenant, eq(deliveries.id, id))) > 0) return true
  const [delivery] = await db
    .select({ because: deliveries.withdrawnBecause })
    .from(deliveries)
    .where(and(eq(deliveries.id, id), within(tenant, sql`${deliveries.partnerId}`)))
  if (delivery?.because == null) return false
  const reason = withdrawals[delivery.because]
  throw new ApiError('BAD_REQUEST', `Not resent: ${reason[0]!.toLowerCase()}${reason.slice(1)}`)
}

/** A filter of deliveries to resend. */
export interface ResendFilter extends Omit<DeliveryFilter, 'state'> {
  /** Defaults to `failed`. */
  states?: readonly ResendState[] | undefined
}

/** Returns the number of the tenant's deliveries that can be resent. */
export async function countResendable(
  db: Database,
  tenant: TenantScope,
  filter: ResendFilter,
): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select count(*)::integer as count from deliveries join endpoints using (partner_id, kind)
    where ${and(within(tenant, sql`${deliveries.partnerId}`), isSendable, ...filterConditions(filter))}`)
  return row!.count
}

/** Resends the tenant's deliveries that match the filter. Returns the count. */
export async function resendAllOf(
  db: Database | Transaction,
  tenant: TenantScope,
  filter: ResendFilter,
): Promise<number> {
  const [row] = await db.execute<{ now: string }>(sql`select clock_timestamp()::text as now`)
  // Excludes deliveries that were resent and failed again in the meantime. Retrying deliveries become due
  // now.
  const which = and(
    ...filterConditions(filter),
    sql`coalesce(${deliveries.finishedAt} <= ${row!.now}, ${deliveries.step} > 0)`,
  )!
  return inBatches(resendBatch, () => resendSome(db, tenant, which))
}

function filterConditions({ states = ['failed'], search, ...filter }: ResendFilter): (SQL | undefined)[] {
  return [
    or(...states.map((state) => and(...conditionsOf({ state })))),
    ...conditionsOf(filter),
    search === undefined ? undefined : isSearched(search),
  ]
}

/** Tests are sent only once, and withdrawn deliveries are never sent again. */
const isSendable = and(isNotNull(deliveries.sequence), isNull(deliveries.withdrawnBecause))

async function resendSome(db: Database | Transaction, tenant: TenantScope, which: SQL): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    with resent as (
      update deliveries set ${resentDeliveries} where id in (
        select deliveries.id from deliveries join endpoints using (partner_id, kind)
        where ${and(within(tenant, sql`${deliveries.partnerId}`), isSendable, which)}
        order by deliveries.created_at, deliveries.id limit ${resendBatch}
        for update of deliveries for key share of endpoints)
      returning partner_id, kind
    ), notified as (select pg_notify('deliveries', partner_id || ':' || kind)
      from (select distinct partner_id, kind from resent) kinds)
    select count(*)::integer as count, (select count(*) from notified) as kinds from resent`)
  return row!.count
}
