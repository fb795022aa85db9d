import { type Database, type Rest, inBatches } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'

/** Number of rows deleted per statement, which takes a few milliseconds and blocks nothing. */
const batchSize = 1000

// Position before all rows. Each batch starts after the previous one, because deleted rows stay in the index
// until the table is vacuumed.
const beforeAll = '-infinity'

/**
 * Deletes attempts older than `days` in batches. Returns the number of deleted attempts.
 * @system retention
 */
export function removeOldAttempts(db: Database, days: number, rest?: Rest): Promise<number> {
  let from = beforeAll
  return inBatches(
    batchSize,
    async () => {
      // Deletes rows by physical position (ctid), so that the planner has no other choice.
      const [row] = await db.$client<[{ count: number; last: string | null }]>`
        with removed as (
          delete from attempts where ctid = any(array(
            select ctid from attempts
              where started_at >= ${from}::text::timestamptz and started_at < now() - ${days} * interval '1 day'
              order by started_at limit ${batchSize}))
          returning started_at)
        select count(*)::integer as count, max(started_at)::text as last from removed`
      from = row.last ?? from
      return row.count
    },
    rest,
  )
}

/**
 * Deletes deliveries older than `days` with their attempts, in batches. Returns the number of deleted
 * deliveries.
 */
export function removeOldDeliveries(
  db: Database,
  partnerId: PartnerId,
  days: number,
  rest?: Rest,
): Promise<number> {
  let after = { createdAt: beforeAll, id: 0 }
  return inBatches(
    batchSize,
    async () => {
      const [last] = await db.$client<[{ count: number; createdAt: string; id: number }?]>`
        with old as materialized (
          select id from deliveries
            where partner_id = ${partnerId} and (created_at, id) > (${after.createdAt}::text::timestamptz, ${after.id})
              and created_at < now() - ${days} * interval '1 day'
            order by created_at, id limit ${batchSize} for update skip locked),
        removed as (delete from deliveries where id = any(array(select id from old)) returning created_at, id)
        select count(*) over ()::integer as count, created_at::text as "createdAt", id::float8 as id
        from removed order by removed.created_at desc, removed.id desc limit 1`
      after = last ?? after
      return last?.count ?? 0
    },
    rest,
  )
}

/** Deletes expired webhook secrets. @system retention */
export async function removeExpiredSecrets(db: Database): Promise<number> {
  return (await db.$client`delete from webhook_secrets where expires_at <= now()`).count
}
