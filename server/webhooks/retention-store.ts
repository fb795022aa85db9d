import { type Database, inBatches } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'

/** How many rows a statement removes at most: it takes some ms, and holds nobody up. */
const batchSize = 1000

/** Attempts that began before so many days, some at a time; gives how many are gone. @system retention */
export function removeOldAttempts(db: Database, days: number): Promise<number> {
  return inBatches(
    batchSize,
    async () =>
      (
        await db.$client`
    delete from attempts where (delivery_id, number) in (
      select delivery_id, number from attempts where started_at < now() - ${days} * interval '1 day' order by started_at limit ${batchSize})`
      ).count,
  )
}

/** Deliveries older than so many days with their attempts, some at a time; gives how many are gone. */
export function removeOldDeliveries(db: Database, partnerId: PartnerId, days: number): Promise<number> {
  return inBatches(
    batchSize,
    async () =>
      (
        await db.$client`
    delete from deliveries where id in (
      select id from deliveries where partner_id = ${partnerId} and created_at < now() - ${days} * interval '1 day'
      order by created_at, id limit ${batchSize} for update skip locked)`
      ).count,
  )
}

/** Returns the webhook secrets that have stopped signing. @system retention */
export async function removeExpiredSecrets(db: Database): Promise<number> {
  return (await db.$client`delete from webhook_secrets where expires_at <= now()`).count
}
