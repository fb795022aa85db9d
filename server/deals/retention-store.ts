import { type Database, type Rest, inBatches } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'

/** Events deleted per statement: with bodies, this takes a few ms and blocks nothing. */
const batchSize = 1000

/**
 * Deletes a partner's events older than `days`, oldest first and in batches. Returns how many were deleted.
 */
export function removeOldEvents(
  db: Database,
  partnerId: PartnerId,
  days: number,
  rest?: Rest,
): Promise<number> {
  // Each batch begins after the last one: deleted rows stay in the index until the table is vacuumed.
  let after = 0
  return inBatches(
    batchSize,
    async () => {
      // Only reads the start of the sequence up to the first event to keep, so a clock that was set back
      // leaves no gap. Deletes rows by physical position, which no plan can look up in another way.
      const [row] = await db.$client<[{ count: number; last: number | null }]>`
        with oldest as materialized (
          select ctid as place, sequence, created_at >= now() - ${days} * interval '1 day' as is_kept from events
            where partner_id = ${partnerId} and sequence > ${after} order by sequence limit ${batchSize}),
        removed as (
          delete from events where ctid = any(array(
            select place from oldest
              where sequence < all(select sequence from oldest where is_kept order by sequence limit 1)))
          returning sequence),
        unfounded as (
          delete from event_facts
            where partner_id = ${partnerId} and sequence = any(array(select sequence from removed)))
        select count(*)::integer as count, max(sequence)::float8 as last from removed`
      after = row.last ?? after
      return row.count
    },
    rest,
  )
}
