import { type SQL, and, asc, count, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { deliveries, endpoints } from '#db/schema/webhooks.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { type EndpointKey, type EndpointKind, isUrlKind, subscriptionId, urlKinds } from './delivery.ts'
import { type Health, healthOf, needsRepair, currentHealthOf } from './health.ts'

/** URLs of a partner's two endpoints, or null if not set. */
export type EndpointUrls = Record<EndpointKind, string | null>

/** Condition that an endpoint is a subscription, written exactly as in the log's index. */
export const isSubscription = sql<boolean>`(${endpoints.kind} <> 'create' and ${endpoints.kind} <> 'update')`

export type Endpoint = typeof endpoints.$inferSelect

/** Returns the URLs of the partner's endpoints. */
export async function readEndpointUrls(
  db: Database | Transaction,
  partnerId: PartnerId,
): Promise<EndpointUrls> {
  const rows = await readEndpoints(db, partnerId)
  const urlOf = (kind: EndpointKind) => rows.find((row) => row.kind === kind)?.url ?? null
  return { create: urlOf('create'), update: urlOf('update') }
}

/** Returns one endpoint of the partner, or undefined if not set. */
export async function readEndpoint(
  db: Database | Transaction,
  partnerId: PartnerId,
  kind: EndpointKey,
): Promise<Endpoint | undefined> {
  const [endpoint] = await db
    .select()
    .from(endpoints)
    .where(and(eq(endpoints.partnerId, partnerId), eq(endpoints.kind, kind)))
  return endpoint
}

/** Returns the endpoints for the partner's two URLs, followed by its subscriptions, oldest first. */
export function readEndpoints(db: Database | Transaction, partnerId: PartnerId): Promise<Endpoint[]> {
  return db
    .select()
    .from(endpoints)
    .where(eq(endpoints.partnerId, partnerId))
    .orderBy(
      asc(isSubscription),
      asc(sql`case when ${isSubscription} then ${endpoints.createdAt} end`),
      asc(endpoints.kind),
    )
}

/** An endpoint with its health and backlog. */
export interface EndpointHealth extends Endpoint {
  waiting: number
  retrying: number
  lastSuccessAt: Date | null
  health: Health
}

/** Returns the health of the partner's configured endpoints. */
export async function readHealth(db: Database, partnerId: PartnerId): Promise<EndpointHealth[]> {
  const rows = await readEndpoints(db, partnerId)
  return Promise.all(
    rows.map(async (endpoint) => {
      const traffic = await readTraffic(db, endpoint)
      return { ...endpoint, ...traffic, health: healthOf({ ...endpoint, ...traffic }, new Date()) }
    }),
  )
}

export interface UnhealthyEndpoint {
  kind: EndpointKey
  name: string | null
  url: string
  health: Health
  /** Number of deliveries that wait for an attempt, at most `pendingMax`. */
  pending: number
  pendingIsMore: boolean
}

// Maximum number of pending deliveries counted for the overview, by index scan.
const pendingMax = 1000

/** Returns the partner's endpoints that need repair. Queries deliveries only if there are such endpoints. */
export async function readUnhealthyEndpoints(
  db: Database,
  partnerId: PartnerId,
): Promise<UnhealthyEndpoint[]> {
  const unhealthy = (await readEndpoints(db, partnerId))
    .map((endpoint) => ({ ...endpoint, health: currentHealthOf(endpoint, new Date()) }))
    .filter(({ health }) => needsRepair(health))
  return Promise.all(
    unhealthy.map(async ({ kind, name, url, health }) => {
      const [counted] = await countPending(db, partnerId, kind)
      const pending = Math.min(counted!.pending, pendingMax)
      return { kind, name, url, health, pending, pendingIsMore: counted!.pending > pendingMax }
    }),
  )
}

/** Counts the deliveries that wait for an attempt at an endpoint, up to `pendingMax + 1`. */
export function countPending(db: Database, partnerId: PartnerId, kind: EndpointKey) {
  const some = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      and(...thoseOf(partnerId, kind), sql`${deliveries.state} = 'waiting'`, isNotNull(deliveries.dueAt)),
    )
    .limit(pendingMax + 1)
    .as('some')
  return db.select({ pending: count() }).from(some)
}

/**
 * Records a manual test or check of a URL. `answer` is the reason for a failure, or null if the check passed.
 */
export async function recordCheck(
  db: Database,
  partnerId: PartnerId,
  url: string,
  answer: string | null,
): Promise<void> {
  await db
    .update(endpoints)
    .set({ checkedAt: sql`now()`, checkAnswer: answer })
    .where(and(eq(endpoints.partnerId, partnerId), eq(endpoints.url, url)))
}

/** Returns the conditions for the deliveries to an endpoint. */
const thoseOf = (partnerId: number, kind: EndpointKey) => [eq(deliveries.partnerId, partnerId), isTo(kind)]

/**
 * Returns the condition that a delivery is to this endpoint. Uses a literal instead of a parameter, so that
 * the planner knows that an index of this endpoint suffices.
 */
export function isTo(kind: EndpointKey): SQL {
  if (!isUrlKind(kind) && !subscriptionId.test(kind)) return sql`false`
  return sql`${deliveries.kind} = ${sql.raw(`'${kind}'`)}`
}

async function readTraffic(
  db: Database,
  { partnerId, kind }: Endpoint,
): Promise<Pick<EndpointHealth, 'waiting' | 'retrying' | 'lastSuccessAt'>> {
  const those = thoseOf(partnerId, kind)
  const [[queue], [last]] = await Promise.all([
    db
      .select({
        pending: count(),
        retrying: sql<number>`count(*) filter (where ${deliveries.step} > 0)::integer`,
      })
      .from(deliveries)
      .where(and(...those, sql`${deliveries.state} = 'waiting'`, isNotNull(deliveries.dueAt))),
    db
      .select({ at: deliveries.finishedAt })
      .from(deliveries)
      .where(and(...those, eq(deliveries.state, 'delivered'), isNotNull(deliveries.sequence)))
      .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
      .limit(1),
  ])
  const { pending, retrying } = queue!
  return { waiting: pending - retrying, retrying, lastSuccessAt: last?.at ?? null }
}

/**
 * Sets endpoint URLs, where null clears a URL. Returns all stored URLs. Waiting deliveries fail if their
 * endpoint is removed, and become due if its URL changes.
 */
export async function writeEndpoints(
  db: Database | Transaction,
  partnerId: PartnerId,
  urls: Partial<EndpointUrls>,
): Promise<EndpointUrls> {
  return db.transaction(async (tx) => {
    await lockEndpoints(tx, partnerId)
    const before = await readEndpointUrls(tx, partnerId)
    for (const kind of urlKinds) {
      const url = urls[kind]
      if (url === undefined) continue
      if (url === null) await clearEndpoint(tx, partnerId, kind)
      else {
        await tx
          .insert(endpoints)
          .values({ partnerId, kind, url, ...offWhileSuspended(partnerId) })
          .onConflictDoUpdate({
            target: [endpoints.partnerId, endpoints.kind],
            set: {
              url,
              // Setting the same URL again, as some systems do at each start, does not change the endpoint's
              // state.
              updatedAt: sql`case when ${endpoints.url} = excluded.url and ${endpoints.switchedOffAt} is null
                and ${endpoints.failingSince} is null then ${endpoints.updatedAt} else now() end`,
              ...wellAndOn,
            },
          })
        if (before[kind] !== null) await sendWaiting(tx, partnerId, kind)
      }
    }
    await sendFirst(tx, partnerId)
    return readEndpointUrls(tx, partnerId)
  })
}

/** Returns the state of a new endpoint, which is off while its partner is suspended. */
export const offWhileSuspended = (partnerId: PartnerId) => ({
  switchedOffAt: sql`(select suspended_at from partners where id = ${partnerId})`,
  switchedOffBecause: sql`(select 'suspended' from partners where id = ${partnerId} and suspended_at is not null)`,
})

/**
 * State of an endpoint that is being enabled. If the partner is suspended, the endpoint stays off until the
 * partner is resumed.
 */
export const wellAndOn = {
  failingSince: null,
  failingAnswer: null,
  checkedAt: null,
  checkAnswer: null,
  pausedUntil: null,
  slowedStatus: null,
  switchedOffAt: sql`case when ${endpoints.switchedOffBecause} = 'suspended' then ${endpoints.switchedOffAt} end`,
  switchedOffBecause: sql`case when ${endpoints.switchedOffBecause} = 'suspended' then 'suspended' end`,
}

/**
 * Enables an endpoint and all others with the same URL, and sends waiting deliveries. Returns false if the
 * endpoint is not set.
 */
export async function switchOn(
  db: Database | Transaction,
  partnerId: PartnerId,
  kind: EndpointKey,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockEndpoints(tx, partnerId)
    const endpoint = await readEndpoint(tx, partnerId, kind)
    if (endpoint === undefined) return false
    const switched = await tx
      .update(endpoints)
      .set({ updatedAt: sql`now()`, ...wellAndOn })
      .where(and(eq(endpoints.partnerId, partnerId), eq(endpoints.url, endpoint.url)))
      .returning()
    for (const { kind: own } of switched) await sendWaiting(tx, partnerId, own)
    return true
  })
}

/** Disables the endpoints of a suspended partner. Their deliveries keep waiting. */
export async function suspendEndpoints(tx: Transaction, partnerId: PartnerId): Promise<void> {
  await lockEndpoints(tx, partnerId)
  await tx
    .update(endpoints)
    .set({ switchedOffAt: sql`now()`, switchedOffBecause: 'suspended' })
    .where(and(eq(endpoints.partnerId, partnerId), isNull(endpoints.switchedOffAt)))
}

/** Enables the endpoints that were off because of the suspension, and sends waiting deliveries. */
export async function resumeEndpoints(tx: Transaction, partnerId: PartnerId): Promise<void> {
  await lockEndpoints(tx, partnerId)
  const resumed = await tx
    .update(endpoints)
    .set({
      failingSince: null,
      failingAnswer: null,
      pausedUntil: null,
      slowedStatus: null,
      switchedOffAt: null,
      switchedOffBecause: null,
    })
    .where(and(eq(endpoints.partnerId, partnerId), eq(endpoints.switchedOffBecause, 'suspended')))
    .returning()
  for (const { kind } of resumed) await sendWaiting(tx, partnerId, kind)
}

/** Blocks writes of the partner's events and delivery results until the transaction ends. */
export async function lockEndpoints(tx: Transaction, partnerId: PartnerId): Promise<void> {
  // Writing an event first locks the partner by its foreign key, then the endpoints. Using the same order
  // prevents deadlocks.
  await tx.execute(sql`select from partners where id = ${partnerId} for update`)
  await tx.execute(sql`select from endpoints where partner_id = ${partnerId} order by kind for update`)
}

/** Removes an endpoint. Its waiting deliveries fail. */
export async function clearEndpoint(tx: Transaction, partnerId: PartnerId, kind: EndpointKey): Promise<void> {
  await tx.delete(endpoints).where(and(eq(endpoints.partnerId, partnerId), eq(endpoints.kind, kind)))
  await tx.execute(sql`set local statement_timeout = 0`)
  await tx.execute(sql`
    update deliveries set state = 'failed', due_at = null, leased_until = null, finished_at = now()
    where partner_id = ${partnerId} and kind = ${kind} and state = 'waiting'`)
}

/** Makes all retries of an endpoint due now. Later deliveries of the same deals follow. */
export async function sendWaiting(tx: Transaction, partnerId: PartnerId, kind: EndpointKey): Promise<void> {
  await tx.execute(sql`set local statement_timeout = 0`)
  await tx.execute(sql`
    update deliveries set due_at = now()
    where partner_id = ${partnerId} and kind = ${kind} and state = 'waiting' and due_at > now() and step > 0`)
  await tx.execute(sql`select pg_notify('deliveries', ${`${partnerId}:${kind}`})`)
}

/**
 * Makes first attempts due that no longer wait behind another delivery of their deal after URLs were changed.
 */
export async function sendFirst(tx: Transaction, partnerId: PartnerId): Promise<void> {
  await tx.execute(sql`
    update deliveries delivery set due_at = now() from endpoints endpoint
    where delivery.partner_id = ${partnerId} and endpoint.partner_id = ${partnerId}
      and endpoint.kind = delivery.kind
      and delivery.state = 'waiting' and delivery.due_at > now() and delivery.step = 0
      and not exists (
        select from deliveries earlier
          join endpoints same on same.partner_id = earlier.partner_id and same.kind = earlier.kind
          and same.url = endpoint.url
        where earlier.partner_id = delivery.partner_id and earlier.deal_id = delivery.deal_id
          and earlier.sequence < delivery.sequence and earlier.state = 'waiting')`)
}
