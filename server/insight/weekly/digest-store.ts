import { eq, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { users } from '#db/schema/accounts.ts'
import { weekDigests } from '#db/schema/insight.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { toZone } from '../../accounts/zone-choice.ts'
import { takesMail } from '../../notifications/delivery-store.ts'
import type { Zone } from '../../values/zone.ts'

/** Returns whether the user receives the digest: by choice, or as an admin. @proof the signed-in user's own id */
export async function readDigestChoice(db: Database, userId: number): Promise<boolean> {
  const [row] = await db
    .select({ isOn: sql<boolean>`coalesce(${weekDigests.isOn}, ${users.role} = 'admin')` })
    .from(users)
    .leftJoin(weekDigests, eq(weekDigests.userId, users.id))
    .where(eq(users.id, userId))
  return row?.isOn ?? false
}

/** Switches the digest of the user on or off. @proof the signed-in user's own id */
export async function saveDigestChoice(tx: Transaction, userId: number, isOn: boolean): Promise<void> {
  await tx
    .insert(weekDigests)
    .values({ userId, isOn })
    .onConflictDoUpdate({ target: weekDigests.userId, set: { isOn } })
}

/** A user who receives digests. */
export interface DigestReader {
  userId: number
  email: string
  partnerId: PartnerId
  zone: Zone
  /** The Monday of the last digest, such as `2026-03-02`; null without one. */
  sentOn: string | null
}

/** Returns the users of partners who receive digests, or one of them. @system the worker */
export async function listDigestReaders(
  { $client: client }: Database,
  userId: number | null = null,
): Promise<DigestReader[]> {
  const rows = await client<(Omit<DigestReader, 'zone'> & { zone: string | null })[]>`
    select person.id as "userId", person.email, person.partner_id as "partnerId",
      coalesce(person.time_zone, partners.time_zone, partners.usual_zone) as zone,
      -- The week before they came is no news.
      coalesce(digest.sent_on, date_trunc('week', person.created_at - interval '1 day')::date)::text as "sentOn"
    from users person
    join partners on partners.id = person.partner_id and partners.suspended_at is null
    left join week_digests digest on digest.user_id = person.id
    left join notification_settings setting on setting.user_id = person.id
    where coalesce(digest.is_on, person.role = 'admin') and ${takesMail(client)}
      and (person.password_hash is not null or person.seen_at is not null)
      and (${userId}::integer is null or person.id = ${userId})
    order by person.partner_id, person.id`
  return rows.map(({ zone, ...reader }) => ({ ...reader, zone: toZone(zone) }))
}

/**
 * Records that a Monday's digest is sent in this transaction. Returns false if it was sent before.
 * @system the worker
 */
export async function takeDigest(tx: Transaction, userId: number, monday: string): Promise<boolean> {
  const saved = await tx
    .insert(weekDigests)
    .values({ userId, sentOn: monday })
    .onConflictDoUpdate({
      target: weekDigests.userId,
      set: { sentOn: monday },
      setWhere: sql`${weekDigests.sentOn} is distinct from ${monday}::date`,
    })
    .returning({ userId: weekDigests.userId })
  return saved.length > 0
}
