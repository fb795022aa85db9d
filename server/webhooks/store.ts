import { and, asc, count, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { deliveries, endpoints } from '#db/schema/webhooks.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { EndpointKind } from './delivery.ts'

/** The two addresses that a partner's events are sent to; null: not set. */
export type EndpointUrls = Record<EndpointKind, string | null>

/** An address and how it does. */
export type Endpoint = typeof endpoints.$inferSelect

/** Returns the partner's addresses. */
export async function readEndpointUrls(
  db: Database | Transaction,
  partnerId: PartnerId,
): Promise<EndpointUrls> {
  const rows = await readEndpoints(db, partnerId)
  return { create: null, update: null, ...Object.fromEntries(rows.map(({ kind, url }) => [kind, url])) }
}

/** Returns the addresses of the partner that are set. */
export function readEndpoints(db: Database | Transaction, partnerId: PartnerId): Promise<Endpoint[]> {
  return db.select().from(endpoints).where(eq(endpoints.partnerId, partnerId)).orderBy(asc(endpoints.kind))
}

/** An address and how it does, with what is due to it. */
export interface EndpointHealth extends Endpoint {
  /** How many deliveries wait for it. */
  waiting: number
  /** When it last took an event; null when it has not, as far as the log goes back. */
  lastSuccessAt: Date | null
}

/** Returns how the addresses of the partner that are set do. */
export async function readHealth(db: Database, partnerId: PartnerId): Promise<EndpointHealth[]> {
  const rows = await readEndpoints(db, partnerId)
  return Promise.all(rows.map(async (endpoint) => ({ ...endpoint, ...(await readTraffic(db, endpoint)) })))
}

async function readTraffic(
  db: Database,
  { partnerId, kind }: Endpoint,
): Promise<Pick<EndpointHealth, 'waiting' | 'lastSuccessAt'>> {
  // Literals, not parameters: the planner has to know that the indexes of these alone will do.
  const those = [
    eq(deliveries.partnerId, partnerId),
    sql`${deliveries.kind} = ${sql.raw(kind === 'create' ? "'create'" : "'update'")}`,
  ]
  const [[queue], [last]] = await Promise.all([
    db
      .select({ waiting: count() })
      .from(deliveries)
      .where(and(...those, sql`${deliveries.state} = 'waiting'`, isNotNull(deliveries.dueAt))),
    db
      .select({ at: deliveries.finishedAt })
      .from(deliveries)
      .where(and(...those, eq(deliveries.state, 'delivered'), isNotNull(deliveries.sequence)))
      .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
      .limit(1),
  ])
  return { waiting: queue!.waiting, lastSuccessAt: last?.at ?? null }
}

/**
 * Sets those addresses that are given, null clears one; gives all that are stored then. What waits for a cleared address
 * fails, what waits for a new one is sent there at once.
 */
export async function writeEndpoints(
  db: Database | Transaction,
  partnerId: PartnerId,
  given: Partial<EndpointUrls>,
): Promise<EndpointUrls> {
  return db.transaction(async (tx) => {
    await holdStill(tx, partnerId)
    const before = await readEndpointUrls(tx, partnerId)
    for (const kind of ['create', 'update'] as const) {
      const url = given[kind]
      if (url === undefined) continue
      if (url === null) await clearEndpoint(tx, partnerId, kind)
      else {
        await tx
          .insert(endpoints)
          .values({ partnerId, kind, url, ...offWhileSuspended(partnerId) })
          .onConflictDoUpdate({
            target: [endpoints.partnerId, endpoints.kind],
            set: { url, updatedAt: new Date(), ...wellAndOn },
          })
        if (before[kind] !== null) await sendWaiting(tx, partnerId, kind)
      }
    }
    await sendFirst(tx, partnerId)
    return readEndpointUrls(tx, partnerId)
  })
}

const offWhileSuspended = (partnerId: PartnerId) => ({
  switchedOffAt: sql`(select suspended_at from partners where id = ${partnerId})`,
  switchedOffBecause: sql`(select 'suspended' from partners where id = ${partnerId} and suspended_at is not null)`,
})

// Those of a partner that is suspended stay off until it no longer is.
const wellAndOn = {
  failingSince: null,
  switchedOffAt: sql`case when ${endpoints.switchedOffBecause} = 'suspended' then ${endpoints.switchedOffAt} end`,
  switchedOffBecause: sql`case when ${endpoints.switchedOffBecause} = 'suspended' then 'suspended' end`,
}

/** Switches an address back on, with the other one if that is the same; what waits is sent at once. Whether there is one. */
export async function switchOn(
  db: Database | Transaction,
  partnerId: PartnerId,
  kind: EndpointKind,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await holdStill(tx, partnerId)
    const url = (await readEndpointUrls(tx, partnerId))[kind]
    if (url === null) return false
    const switched = await tx
      .update(endpoints)
      .set(wellAndOn)
      .where(and(eq(endpoints.partnerId, partnerId), eq(endpoints.url, url)))
      .returning()
    for (const endpoint of switched) await sendWaiting(tx, partnerId, endpoint.kind)
    return true
  })
}

/** Switches the addresses of a partner off that is suspended; what waits for them goes on waiting. */
export async function suspendEndpoints(tx: Transaction, partnerId: PartnerId): Promise<void> {
  await holdStill(tx, partnerId)
  await tx
    .update(endpoints)
    .set({ switchedOffAt: sql`now()`, switchedOffBecause: 'suspended' })
    .where(and(eq(endpoints.partnerId, partnerId), isNull(endpoints.switchedOffAt)))
}

/** Switches those addresses on again that were off because the partner was suspended; what waits is sent at once. */
export async function resumeEndpoints(tx: Transaction, partnerId: PartnerId): Promise<void> {
  await holdStill(tx, partnerId)
  const resumed = await tx
    .update(endpoints)
    .set({ failingSince: null, switchedOffAt: null, switchedOffBecause: null })
    .where(and(eq(endpoints.partnerId, partnerId), eq(endpoints.switchedOffBecause, 'suspended')))
    .returning()
  for (const { kind } of resumed) await sendWaiting(tx, partnerId, kind)
}

/** Lets nobody write the partner's events, or what came of its deliveries, until the transaction ends. */
async function holdStill(tx: Transaction, partnerId: PartnerId): Promise<void> {
  // Whoever writes an event holds the partner by its foreign key, and then the addresses: in this order nobody waits in a circle.
  await tx.execute(sql`select from partners where id = ${partnerId} for update`)
  await tx.execute(sql`select from endpoints where partner_id = ${partnerId} order by kind for update`)
}

async function clearEndpoint(tx: Transaction, partnerId: PartnerId, kind: EndpointKind): Promise<void> {
  await tx.delete(endpoints).where(and(eq(endpoints.partnerId, partnerId), eq(endpoints.kind, kind)))
  await tx.execute(sql`set local statement_timeout = 0`)
  await tx.execute(sql`
    update deliveries set state = 'failed', due_at = null, leased_until = null, finished_at = now()
    where partner_id = ${partnerId} and kind = ${kind} and state = 'waiting'`)
}

/** Lets everything of an endpoint that waits for a later attempt go at once; those behind follow when it is done. */
async function sendWaiting(tx: Transaction, partnerId: PartnerId, kind: EndpointKind): Promise<void> {
  await tx.execute(sql`set local statement_timeout = 0`)
  await tx.execute(sql`
    update deliveries set due_at = now()
    where partner_id = ${partnerId} and kind = ${kind} and state = 'waiting' and due_at > now() and step > 0`)
  await tx.execute(sql`select pg_notify('deliveries', ${`${partnerId}:${kind}`})`)
}

/** Lets those go at once that waited behind another one of their deal, and no longer do since the addresses changed. */
async function sendFirst(tx: Transaction, partnerId: PartnerId): Promise<void> {
  await tx.execute(sql`
    update deliveries delivery set due_at = now() from endpoints endpoint
    where delivery.partner_id = ${partnerId} and endpoint.partner_id = ${partnerId} and endpoint.kind = delivery.kind
      and delivery.state = 'waiting' and delivery.due_at > now() and delivery.step = 0
      and not exists (
        select from deliveries earlier join endpoints same on same.partner_id = earlier.partner_id and same.kind = earlier.kind and same.url = endpoint.url
        where earlier.partner_id = delivery.partner_id and earlier.deal_id = delivery.deal_id
          and earlier.sequence < delivery.sequence and earlier.state = 'waiting')`)
}
