import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import { insertPartner } from '#server/accounts/store.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import type { DeliveryState, EndpointKind } from '#server/webhooks/delivery.ts'
import type { Leased, Recorded } from '#server/webhooks/queue-store.ts'
import { type EndpointUrls, writeEndpoints } from '#server/webhooks/store.ts'

// Helpers that fill and inspect the delivery queue.

/** Creates a partner with these endpoint URLs. */
export async function makeReceivingPartner(
  db: Database,
  addresses: Partial<EndpointUrls> = {},
): Promise<PartnerId> {
  const partnerId = (await insertPartner(db, crypto.randomUUID(), 'A partner'))!.id as PartnerId
  if (Object.keys(addresses).length > 0) await writeEndpoints(db, partnerId, addresses)
  return partnerId
}

let changes = 0

/**
 * Changes all these deals in one import, so that each deal gets an event: "created" the first time, "updated"
 * after that.
 */
export async function changeDeals(db: Database, partnerId: PartnerId, ids: bigint[]): Promise<void> {
  const stage = `change ${++changes}`
  await writeDeals(
    db,
    ids.map((id) => ({ record: { id, stage }, partnerId })),
    { now: new Date(), events: true },
  )
}

/** A row of the queue. */
export interface Queued {
  id: number
  kind: EndpointKind
  sequence: number
  dealId: string
  state: DeliveryState
  /** Milliseconds until the delivery is due; null if it is not waiting. */
  dueInMs: number | null
  leased: boolean
  lease: number
  step: number
  attemptCount: number
}

/** Returns all deliveries of a partner in order of creation. */
export function queueOf(db: Database, partnerId: PartnerId) {
  return db.$client<Queued[]>`
    select id::float8, kind, sequence::float8, deal_id::text as "dealId", state, extract(epoch from due_at - now())::float8 * 1000 as "dueInMs",
      coalesce(leased_until > now(), false) as leased, lease, step, attempt_count as "attemptCount"
    from deliveries where partner_id = ${partnerId} order by sequence, id`
}

/** Returns the outcome of a leased attempt. By default, the delivery succeeded with status 200. */
export function outcomeOf(
  { id, lease, url }: Pick<Leased, 'id' | 'lease' | 'url'>,
  result: Partial<Recorded> = {},
): Recorded {
  return {
    id,
    lease,
    url,
    state: 'delivered',
    waitMs: null,
    startedAt: new Date(),
    durationMs: 12,
    signature: 'v1,x',
    status: 200,
    error: null,
    responseHeaders: 'A: b',
    responseBody: 'ok',
    pauseMs: null,
    isFree: false,
    ...result,
  }
}

/** Returns a failed outcome that is retried after `waitMs`. */
export const failure = (waitMs: number, status: number | null = 500) => ({
  state: 'waiting' as const,
  waitMs,
  status,
})

/** Resolves once `count` database connections are waiting for a lock. */
export async function untilBlocked(db: Database, count = 1): Promise<void> {
  for (;;) {
    const [row] = await db.$client<[{ blocked: number }]>`
      select count(*)::integer as blocked from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (row.blocked >= count) return
    await sleep(10)
  }
}
