import { randomBytes } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { endpoints } from '#db/schema/webhooks.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { subscriptionId } from './delivery.ts'
import {
  type Endpoint,
  clearEndpoint,
  isSubscription,
  lockEndpoints,
  offWhileSuspended,
  readEndpoint,
  readEndpoints,
  sendFirst,
  sendWaiting,
  wellAndOn,
} from './store.ts'
import type { SubscribedEvents } from './subscription-wire.ts'

/** A subscription to store. */
export interface NewSubscription extends SubscribedEvents {
  url: string
  /** If undefined, an equal subscription keeps its name. */
  name: string | null | undefined
}

/** Returns the partner's subscriptions, oldest first. */
export async function readSubscriptions(db: Database, partnerId: PartnerId): Promise<Endpoint[]> {
  return (await readEndpoints(db, partnerId)).filter(({ kind }) => subscriptionId.test(kind))
}

/** Returns a subscription, or undefined if the partner has none with this id. */
export async function readSubscription(
  db: Database | Transaction,
  partnerId: PartnerId,
  id: string,
): Promise<Endpoint | undefined> {
  return subscriptionId.test(id) ? readEndpoint(db, partnerId, id) : undefined
}

/**
 * Inserts a subscription. If the partner has a subscription with the same URL and events, enables and returns
 * that one instead. Returns null if the partner already has `max` subscriptions.
 */
export async function insertSubscription(
  tx: Transaction,
  partnerId: PartnerId,
  { name, ...subscription }: NewSubscription,
  max: number,
): Promise<{ endpoint: Endpoint; isNew: boolean } | null> {
  await lockEndpoints(tx, partnerId)
  const { url, events, terms } = subscription
  const [equal] = await tx
    .select()
    .from(endpoints)
    .where(
      and(eq(endpoints.partnerId, partnerId), isSubscription, eq(endpoints.url, url), isFor(events, terms)),
    )
    .limit(1)
  if (equal !== undefined) {
    const isOff = equal.switchedOffAt !== null
    const [endpoint] = await tx
      .update(endpoints)
      .set({
        name: name === undefined ? equal.name : name,
        ...(isOff && { ...wellAndOn, updatedAt: sql`now()` }),
      })
      .where(isOne(partnerId, equal.kind))
      .returning()
    if (isOff) await sendWaiting(tx, partnerId, equal.kind)
    return { endpoint: endpoint!, isNew: false }
  }
  const count = await tx.$count(endpoints, and(eq(endpoints.partnerId, partnerId), isSubscription))
  if (count >= max) return null
  const [endpoint] = await tx
    .insert(endpoints)
    .values({
      partnerId,
      kind: randomBytes(6).toString('hex'),
      name: name ?? null,
      ...subscription,
      sinceSequence: lastSequence(partnerId),
      ...offWhileSuspended(partnerId),
    })
    .returning()
  return { endpoint: endpoint!, isNew: true }
}

const isFor = (events: SubscribedEvents['events'], terms: SubscribedEvents['terms']) =>
  sql<boolean>`(${endpoints.events} = ${`{${events.join(',')}}`}::text[]
  and ${endpoints.terms} is not distinct from ${terms === null ? null : JSON.stringify(terms)}::text::jsonb)`

const isOne = (partnerId: PartnerId, id: string) =>
  and(eq(endpoints.partnerId, partnerId), eq(endpoints.kind, id))

/** Returns the sequence number of the newest event while blocking new events. */
const lastSequence = (partnerId: PartnerId) =>
  sql<number>`(select coalesce((select last_sequence from deal_lists where id = ${partnerId}), 0))`

/**
 * Changes a subscription. A new filter applies from the next event on, and a new URL enables the
 * subscription. Returns undefined if the partner has none with this id.
 */
export async function updateSubscription(
  tx: Transaction,
  partnerId: PartnerId,
  id: string,
  { name = null, ...subscription }: NewSubscription,
): Promise<Endpoint | undefined> {
  await lockEndpoints(tx, partnerId)
  const stored = await readSubscription(tx, partnerId, id)
  if (stored === undefined) return undefined
  const isMoved = stored.url !== subscription.url
  const { events, terms } = subscription
  const [endpoint] = await tx
    .update(endpoints)
    .set({
      name,
      ...subscription,
      ...(isMoved && { ...wellAndOn, updatedAt: sql`now()` }),
      sinceSequence: sql`case when ${isFor(events, terms)} then ${endpoints.sinceSequence} else ${lastSequence(partnerId)} end`,
    })
    .where(isOne(partnerId, id))
    .returning()
  if (isMoved) {
    await sendWaiting(tx, partnerId, id)
    await sendFirst(tx, partnerId)
  }
  return endpoint
}

/**
 * Removes a subscription. Its waiting deliveries fail. Returns undefined if the partner has none with this
 * id.
 */
export async function deleteSubscription(
  tx: Transaction,
  partnerId: PartnerId,
  id: string,
): Promise<Endpoint | undefined> {
  await lockEndpoints(tx, partnerId)
  const stored = await readSubscription(tx, partnerId, id)
  if (stored === undefined) return undefined
  await clearEndpoint(tx, partnerId, id)
  await sendFirst(tx, partnerId)
  return stored
}
