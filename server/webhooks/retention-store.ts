import { type Database, inBatches } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'

/** How many rows a statement deletes at most: it takes a few ms and blocks nobody. */
const batchSize = 1000

/** Deletes attempts older than `days`, in batches. Returns how many were deleted. @system retention */
export function removeOldAttempts(db: Database, days: number): Promise<number> {
  return inBatches(
    batchSize,
    async () =>
      (
        await db.$client`
    delete from attempts where (delivery_id, number) in (
      select delivery_id, number from attempts where started_at < now() - ${days} * interval '1 day'
        order by started_at limit ${batchSize})`
      ).count,
  )
}

/** Deletes deliveries older than `days` with their attempts, in batches. Returns how many were deleted. */
export function removeOldDeliveries(db: Database, partnerId: PartnerId, days: number): Promise<number> {
  return inBatches(
    batchSize,
    async () =>
      (
        await db.$client`
    delete from deliveries where id in (
      select id from deliveries
        where partner_id = ${partnerId} and created_at < now() - ${days} * interval '1 day'
      order by created_at, id limit ${batchSize} for update skip locked)`
      ).count,
  )
}

/** Deletes expired webhook secrets. @system retention */
export async function removeExpiredSecrets(db: Database): Promise<number> {
  return (await db.$client`delete from webhook_secrets where expires_at <= now()`).count
}
