import { type Database, inBatches } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'

/** How many rows a statement deletes at most: it takes a few ms and blocks nobody. */
const batchSize = 1000

/**
 * Deletes a partner's events older than `days`, oldest first and in batches. Returns how many were deleted.
 */
export function removeOldEvents(db: Database, partnerId: PartnerId, days: number): Promise<number> {
  // Only the start of the sequence is read: when the oldest is recent enough, all are.
  return inBatches(
    batchSize,
    async () =>
      (
        await db.$client`
    delete from events where partner_id = ${partnerId} and sequence in (
      select sequence from (
        select sequence, created_at from events where partner_id = ${partnerId} order by sequence
          limit ${batchSize}
      ) oldest where created_at < now() - ${days} * interval '1 day')`
      ).count,
  )
}
