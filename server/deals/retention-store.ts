import { type Database, type Rest, inBatches } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'

/** Number of events deleted per statement. Deleting this many takes a few milliseconds and blocks nothing. */
const batchSize = 1000

/**
 * Deletes a partner's events that are older than `days`, in batches, oldest first. Returns the number of
 * deleted events.
 */
export function removeOldEvents(
  db: Database,
  partnerId: PartnerId,
  days: number,
  rest?: Rest,
): Promise<number> {
  // Each batch starts after the previous one, because deleted rows stay in the index until the next vacuum.
  let after = 0
  return inBatches(
    batchSize,
    async () => {
      // Stops at the first event that must be kept, so that a clock that was set back does not cause a gap.
      // Deletes rows by physical position, so that the planner has no other choice.
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
