import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import { fileQuotaBytes, type LimitName, limits, maxOf, overLimit } from './limit.ts'
import type { PartnerId, Owner } from './partner.ts'

/** A user of a partner, or of the staff if `partnerId` is null. */
export interface Member {
  userId: number
  partnerId: Owner
}

/**
 * Counts an action against the limit of a member and against the limit of the member's partner or the staff.
 * Locks both counts until the transaction ends, so that concurrent actions are counted exactly.
 * @throws ApiError 429 if either is over its limit
 */
export async function spend(
  tx: Transaction,
  { userId, partnerId }: Member,
  name: LimitName,
  amount = 1,
): Promise<void> {
  const sql = driverTransaction(tx)
  const { window } = limits[name]
  for (const isMember of [true, false]) {
    const max = maxOf(name, isMember, partnerId === null)
    const [spent] = await sql<{ amount: number; endsInS: number }[]>`
      insert into spending (user_id, partner_id, what, began_at, amount)
      values (${isMember ? userId : null}, ${isMember ? null : partnerId}, ${name}, date_trunc(${window}, now(), 'UTC'), ${amount})
      on conflict (user_id, partner_id, what) do update set began_at = excluded.began_at,
        amount = excluded.amount + case when spending.began_at = excluded.began_at then spending.amount else 0 end
      returning amount::float8, extract(epoch from began_at + ${`1 ${window}`}::interval - now())::float8 as "endsInS"`
    if (spent!.amount > max) throw overLimit(name, { max, isMember, endsInS: spent!.endsInS })
  }
}

/**
 * Prevents concurrent changes to a user's objects, so that the objects can be counted exactly.
 * @proof the signed-in user's own id
 */
export async function lockMember(tx: Transaction, userId: number): Promise<void> {
  await driverTransaction(tx)`select from users where id = ${userId} for no key update`
}

/**
 * Prevents concurrent changes to the objects of a partner or the staff, so that the objects can be counted
 * exactly.
 */
export async function lockOwner(tx: Transaction, partnerId: Owner): Promise<void> {
  const sql = driverTransaction(tx)
  if (partnerId === null) await sql`select pg_advisory_xact_lock(hashtextextended('limits of the staff', 0))`
  else await sql`select from partners where id = ${partnerId} for no key update`
}

/** Bytes of files that a partner's users have attached or started to upload, and the partner's quota. */
export interface FileUse {
  usedBytes: number
  quotaBytes: number
  /** True if the partner has the default quota. */
  isDefault: boolean
}

/** Returns how much of its file quota a partner uses. */
export async function readFileUse(db: Database | Transaction, partnerId: PartnerId): Promise<FileUse> {
  const sql = '$client' in db ? db.$client : driverTransaction(db)
  const [{ usedBytes, quotaBytes }] = await sql<[{ usedBytes: number; quotaBytes: number | null }]>`
    select file_quota_bytes::float8 as "quotaBytes", (
        (select coalesce(sum(size_bytes), 0) from file_uploads where thread_partner_id = partners.id) +
        (select coalesce(sum(size_bytes), 0) from files where thread_partner_id = partners.id))::float8 as "usedBytes"
    from partners where id = ${partnerId}`
  return { usedBytes, quotaBytes: quotaBytes ?? fileQuotaBytes, isDefault: quotaBytes === null }
}

/** Sets a partner's file quota in bytes; null restores the default. */
export async function setFileQuota(
  tx: Transaction,
  partnerId: PartnerId,
  bytes: number | null,
): Promise<void> {
  await driverTransaction(tx)`update partners set file_quota_bytes = ${bytes} where id = ${partnerId}`
}
