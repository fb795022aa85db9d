import { type Database, inBatches } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'

/** How many rows a statement removes at most: it takes some ms, and holds nobody up. */
const batchSize = 1000

/** Removes a partner's events that are older than so many days, the oldest first and some at a time; gives how many are gone. */
export function removeOldEvents(db: Database, partnerId: PartnerId, days: number): Promise<number> {
  // Only the start of the sequence is looked at: where the oldest is young enough, all are.
  return inBatches(
    batchSize,
    async () =>
      (
        await db.$client`
    delete from events where partner_id = ${partnerId} and sequence in (
      select sequence from (
        select sequence, created_at from events where partner_id = ${partnerId} order by sequence limit ${batchSize}
      ) oldest where created_at < now() - ${days} * interval '1 day')`
      ).count,
  )
}
