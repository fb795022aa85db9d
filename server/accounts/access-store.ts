import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import type { PartnerId } from './partner.ts'

/** The session, user or partner whose access ends. */
export type EndedAccess =
  /** A browser's. */
  | { sessionHash: string }
  /** A user's in all browsers, or in all but one. */
  | { userId: number; keptSessionHash?: string }
  /** A user who was removed or moved to another partner. */
  | { formerUserId: number }
  /** All users of a suspended partner. */
  | { partnerId: PartnerId }

/**
 * Ends access with everything that was derived from it: sessions and push subscriptions, links that sign in, and
 * messages that wait. What else refers to users and partners is checked whenever it is read; `access-store.test.ts`
 * lists it.
 * @proof the right to end the access
 */
export function endAccess(db: Database | Transaction, ended: EndedAccess): Promise<void> {
  return db.transaction(async (tx) => {
    const sql = driverTransaction(tx)
    if ('sessionHash' in ended) {
      // Push subscriptions of an expired session stay, so that nobody has to subscribe again.
      await sql`delete from push_subscriptions where session_hash = ${ended.sessionHash}`
      await sql`delete from sessions where hash = ${ended.sessionHash}`
      return
    }
    const kept = ('keptSessionHash' in ended && ended.keptSessionHash) || null
    const users =
      'partnerId' in ended
        ? sql`(select id from users where partner_id = ${ended.partnerId})`
        : sql`(${'userId' in ended ? ended.userId : ended.formerUserId})`
    // A sign-in in progress is refused.
    await sql`update users set sessions_ended = sessions_ended + 1 where id in ${users}`
    await sql`
      delete from push_subscriptions
      where user_id in ${users} and (${kept}::text is null or session_hash is distinct from ${kept})`
    await sql`delete from sessions where user_id in ${users} and (${kept}::text is null or hash <> ${kept})`
    // The links of a suspended partner's users wait until it is resumed.
    if (!('partnerId' in ended)) await sql`delete from links where user_id in ${users}`
    if (!('userId' in ended)) await discardMessages(tx, ended)
  })
}

/**
 * Discards the messages that wait for a user who may no longer get them, or for all users of a partner.
 * @proof the right to end the access
 */
export async function discardMessages(
  tx: Transaction,
  ended: { formerUserId: number } | { partnerId: PartnerId },
): Promise<void> {
  const sql = driverTransaction(tx)
  const isEnded =
    'partnerId' in ended ? sql`partner_id = ${ended.partnerId}` : sql`id = ${ended.formerUserId}`
  // A sign-in by a link ends with the link.
  await sql`
    delete from mails where link_hash is null and recipient in (select email from users where ${isEnded})`
  await sql`
    update notification_deliveries set due_at = null
    where due_at is not null and user_id in (select id from users where ${isEnded})`
}
