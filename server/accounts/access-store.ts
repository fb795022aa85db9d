import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import type { PartnerId } from './partner.ts'

/** The session, user or partner whose access ends. */
export type EndedAccess =
  /** The session of one browser. */
  | { sessionHash: string }
  /** All sessions of a user, except `keptSessionHash` if set. */
  | { userId: number; keptSessionHash?: string }
  /** A user who is being removed, or saved again by an operator. */
  | { formerUserId: number }
  /** All users of a suspended partner. */
  | { partnerId: PartnerId }

/**
 * Ends access and deletes everything derived from that access: sessions, push subscriptions, sign-in links
 * and waiting messages. Access to all other tables is checked on each read; `access-store.test.ts` lists
 * these tables.
 * @proof the right to end the access
 */
export function endAccess(db: Database | Transaction, ended: EndedAccess): Promise<void> {
  return db.transaction(async (tx) => {
    const sql = driverTransaction(tx)
    if ('sessionHash' in ended) {
      // An expired session keeps its push subscriptions; signing out deletes them.
      await sql`delete from push_subscriptions where session_hash = ${ended.sessionHash}`
      await sql`delete from sessions where hash = ${ended.sessionHash}`
      return
    }
    const keptHash = ('keptSessionHash' in ended && ended.keptSessionHash) || null
    const users =
      'partnerId' in ended
        ? sql`(select id from users where partner_id = ${ended.partnerId})`
        : sql`(${'userId' in ended ? ended.userId : ended.formerUserId})`
    // Sign-ins in progress are rejected when this counter changes.
    await sql`update users set sessions_ended = sessions_ended + 1 where id in ${users}`
    await sql`
      delete from push_subscriptions
      where user_id in ${users} and (${keptHash}::text is null or session_hash is distinct from ${keptHash})`
    await sql`delete from sessions where user_id in ${users} and (${keptHash}::text is null or hash <> ${keptHash})`
    // Links of a suspended partner's users become valid again when the partner is resumed.
    if (!('partnerId' in ended)) await sql`delete from links where user_id in ${users}`
    if (!('userId' in ended)) await discardMessages(tx, ended)
  })
}

/**
 * Deletes waiting messages to a user who may no longer receive them, or to all users of a partner.
 * @proof the right to end the access
 */
export async function discardMessages(
  tx: Transaction,
  ended: { formerUserId: number } | { partnerId: PartnerId },
): Promise<void> {
  const sql = driverTransaction(tx)
  const isEnded =
    'partnerId' in ended ? sql`partner_id = ${ended.partnerId}` : sql`id = ${ended.formerUserId}`
  // E-mails with a link are deleted together with the link.
  await sql`
    delete from mails where link_hash is null and recipient in (select email from users where ${isEnded})`
  await sql`
    update notification_deliveries set due_at = null
    where due_at is not null and user_id in (select id from users where ${isEnded})`
}
