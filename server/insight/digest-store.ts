import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { toZone } from '../accounts/zone-choice.ts'
import { takesMail } from '../notifications/delivery-store.ts'
import type { Zone } from '../values/zone.ts'

/**
 * Returns whether the user receives the digest, by choice or by default as an admin.
 * @proof the signed-in user's own id
 */
export async function readDigestChoice({ $client: sql }: Database, userId: number): Promise<boolean> {
  const [row] = await sql<{ isOn: boolean }[]>`
    select coalesce(is_on, role = 'admin') as "isOn"
    from users left join week_digests on user_id = users.id
    where users.id = ${userId}`
  return row?.isOn ?? false
}

/** Turns the digest of the user on or off. @proof the signed-in user's own id */
export async function saveDigestChoice(tx: Transaction, userId: number, isOn: boolean): Promise<void> {
  await driverTransaction(tx)`
    insert into week_digests (user_id, is_on) values (${userId}, ${isOn})
    on conflict (user_id) do update set is_on = excluded.is_on`
}

export interface DigestReader {
  userId: number
  email: string
  partnerId: PartnerId
  zone: Zone
  /** The Monday of the last digest, such as `2026-03-02`, or null if none was sent. */
  sentOn: string | null
}

/** Returns the partner users who receive the digest, or only this user. @system the worker */
export async function listDigestReaders(
  { $client: sql }: Database,
  userId: number | null = null,
): Promise<DigestReader[]> {
  const rows = await sql<(Omit<DigestReader, 'zone'> & { zone: string | null })[]>`
    select person.id as "userId", person.email, person.partner_id as "partnerId",
      coalesce(person.time_zone, partners.time_zone, partners.usual_zone) as zone,
      -- New users do not get the digest of the previous week.
      coalesce(digest.sent_on, date_trunc('week', person.created_at - interval '1 day')::date)::text as "sentOn"
    from users person
    join partners on partners.id = person.partner_id and partners.suspended_at is null
    left join week_digests digest on digest.user_id = person.id
    left join notification_settings setting on setting.user_id = person.id
    where coalesce(digest.is_on, person.role = 'admin') and ${takesMail(sql)}
      and (person.password_hash is not null or person.seen_at is not null)
      and (${userId}::integer is null or person.id = ${userId})
    order by person.partner_id, person.id`
  return rows.map(({ zone, ...reader }) => ({ ...reader, zone: toZone(zone) }))
}

/**
 * Records that a Monday's digest is sent in this transaction. Returns false if it was already sent.
 * @system the worker
 */
export async function takeDigest(tx: Transaction, userId: number, monday: string): Promise<boolean> {
  const saved = await driverTransaction(tx)`
    insert into week_digests (user_id, sent_on) values (${userId}, ${monday}::date)
    on conflict (user_id) do update set sent_on = excluded.sent_on
      where week_digests.sent_on is distinct from excluded.sent_on
    returning user_id`
  return saved.length > 0
}
