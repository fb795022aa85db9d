import { createECDH, randomBytes } from 'node:crypto'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { partners, pushSubscriptions, users } from '#db/schema/accounts.ts'
import { pushKeys } from '#db/schema/notifications.ts'
import { lockMember } from '../accounts/limit-store.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { decryptFor, encryptFor } from '../values/encryption.ts'
import { pushSubscriptionsMax } from './policy.ts'

/** The keys that identify this installation to push services, in base64url. */
export interface VapidKeys {
  publicKey: string
  privateKey: string
}

const owner = 'push keys'

/**
 * Returns the keys of this installation, and generates them on first use.
 * @proof the key that encrypts them
 */
export async function readVapidKeys(db: Database, encryptionKey: Buffer): Promise<VapidKeys> {
  const read = async () => (await db.select().from(pushKeys))[0]
  let stored = await read()
  if (stored === undefined) {
    const { publicKey, privateKey } = makeVapidKeys()
    const encrypted = encryptFor(owner, privateKey, encryptionKey, randomBytes)
    // Another process may have inserted keys first.
    await db.insert(pushKeys).values({ public: publicKey, encrypted }).onConflictDoNothing()
    stored = (await read())!
  }
  return { publicKey: stored.public, privateKey: decryptFor(owner, stored.encrypted, encryptionKey) }
}

function makeVapidKeys(): VapidKeys {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  // Pads the private key to 32 bytes, because leading zeros are omitted.
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()])
    .subarray(-32)
    .toString('base64url')
  return { publicKey, privateKey }
}

export interface NewSubscription {
  endpoint: string
  p256dh: string
  auth: string
}

/**
 * Inserts the subscription of a browser. Ends the subscription of another user in the same browser.
 * @proof the signed-in user's own id and session
 */
export async function insertSubscription(
  tx: Transaction,
  { id: userId, sessionHash }: { id: number; sessionHash: string },
  subscription: NewSubscription,
  userAgent: string,
): Promise<void> {
  await lockMember(tx, userId)
  const values = {
    ...subscription,
    userId,
    sessionHash,
    userAgent,
    failedAt: null,
    problem: null,
    endedAt: null,
  }
  await tx
    .insert(pushSubscriptions)
    .values(values)
    .onConflictDoUpdate({ target: pushSubscriptions.endpoint, set: values })
  await tx.execute(sql`
    delete from push_subscriptions where id in (
      select id from push_subscriptions where user_id = ${userId} order by id desc offset ${pushSubscriptionsMax})`)
}

const isOwn = (userId: number, endpoint: string) =>
  and(eq(pushSubscriptions.userId, userId), eq(pushSubscriptions.endpoint, endpoint))

/**
 * Returns whether the user has subscribed this browser, and the reason if the subscription has ended.
 * @proof the signed-in user's own id
 */
export async function readSubscription(
  db: Database,
  userId: number,
  endpoint: string,
): Promise<{ isOn: boolean; endedBecause: string | null }> {
  const [found] = await db
    .select({ endedAt: pushSubscriptions.endedAt, problem: pushSubscriptions.problem })
    .from(pushSubscriptions)
    .where(isOwn(userId, endpoint))
  if (found === undefined) return { isOn: false, endedBecause: null }
  return found.endedAt === null
    ? { isOn: true, endedBecause: null }
    : { isOn: false, endedBecause: found.problem ?? 'no response' }
}

/** Returns the browsers that a user has subscribed, newest first. @proof the signed-in user's own id */
export function readSubscriptions(db: Database, userId: number) {
  return db
    .select({
      id: pushSubscriptions.id,
      sessionHash: pushSubscriptions.sessionHash,
      userAgent: pushSubscriptions.userAgent,
      createdAt: pushSubscriptions.createdAt,
      failedAt: pushSubscriptions.failedAt,
      endedAt: pushSubscriptions.endedAt,
    })
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.userId, userId))
    .orderBy(desc(pushSubscriptions.id))
}

/** Deletes the subscription of a browser by its endpoint or id. @proof the signed-in user's own id */
export async function deleteSubscription(
  tx: Transaction,
  userId: number,
  which: { endpoint: string } | { id: number },
): Promise<void> {
  const isThis =
    'id' in which ? eq(pushSubscriptions.id, which.id) : eq(pushSubscriptions.endpoint, which.endpoint)
  await tx.delete(pushSubscriptions).where(and(eq(pushSubscriptions.userId, userId), isThis))
}

/**
 * Returns a user's subscription, and whether its messages may contain names of homeowners.
 * @proof the lease of a message
 */
export async function findSubscription(db: Database, userId: number, id: number) {
  const [found] = await db
    .select({
      endpoint: pushSubscriptions.endpoint,
      p256dh: pushSubscriptions.p256dh,
      auth: pushSubscriptions.auth,
      hasNames: sql<boolean>`coalesce(${partners.pushNames}, true)`,
    })
    .from(pushSubscriptions)
    .innerJoin(users, eq(users.id, pushSubscriptions.userId))
    .leftJoin(partners, eq(partners.id, users.partnerId))
    .where(
      and(
        eq(pushSubscriptions.id, id),
        eq(pushSubscriptions.userId, userId),
        isNull(pushSubscriptions.endedAt),
      ),
    )
  return found
}

/** Ends a subscription. @proof a message to it */
export async function endSubscription(db: Database, id: number): Promise<void> {
  await db
    .update(pushSubscriptions)
    .set({ endedAt: sql`now()` })
    .where(eq(pushSubscriptions.id, id))
}

/**
 * Records why a message did not arrive, or null if it did. Returns whether no message has arrived for a day.
 * @proof a message to it
 */
export async function recordPush(db: Database, id: number, problem: string | null): Promise<boolean> {
  const [row] = await db
    .update(pushSubscriptions)
    .set({
      problem,
      failedAt: problem === null ? null : sql`coalesce(${pushSubscriptions.failedAt}, now())`,
    })
    .where(
      and(
        eq(pushSubscriptions.id, id),
        sql`(${pushSubscriptions.problem} is not null or ${problem}::text is not null)`,
      ),
    )
    .returning({
      hasFailedForADay: sql<boolean>`coalesce(${pushSubscriptions.failedAt} < now() - interval '1 day', false)`,
    })
  return row?.hasFailedForADay ?? false
}

/** Returns whether the partner's push messages contain names of homeowners. */
export async function readPushNames(db: Database, partnerId: PartnerId): Promise<boolean> {
  const [partner] = await db
    .select({ pushNames: partners.pushNames })
    .from(partners)
    .where(eq(partners.id, partnerId))
  return partner!.pushNames
}

/** Sets whether the partner's push messages contain names of homeowners. */
export async function setPushNames(tx: Transaction, partnerId: PartnerId, pushNames: boolean): Promise<void> {
  await tx.update(partners).set({ pushNames }).where(eq(partners.id, partnerId))
}
