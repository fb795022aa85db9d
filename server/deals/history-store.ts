import type { Database } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/tenant-store.ts'
import type { EventType } from './event.ts'

/** A stored event of a deal; `changes` is JSON. */
export interface HistoryEntry {
  sequence: number
  type: EventType
  timestamp: string
  changes: string
}

/**
 * Returns at most `limit` events of a deal as its current partner received them, newest first, optionally
 * before the sequence `before`.
 */
export async function readHistory(
  db: Database,
  tenant: TenantScope,
  dealId: bigint,
  before: number | null,
  limit: number,
): Promise<HistoryEntry[]> {
  const sql = db.$client
  return sql<HistoryEntry[]>`
    select event.sequence::float8 as sequence, event.type, event.body::json ->> 'timestamp' as timestamp,
      event.body::json ->> 'changes' as changes
    from deals join events event on event.partner_id = deals.partner_id and event.deal_id = deals.id
    where deals.id = ${String(dealId)} and ${isWithin(sql, tenant, sql`deals.partner_id`)}
      ${
        before === null
          ? sql``
          : sql`and (event.created_at, event.sequence) < (${sql`
        select shown.created_at, shown.sequence from events shown
        where shown.partner_id = deals.partner_id and shown.sequence = ${before}`})`
      }
    order by event.created_at desc, event.sequence desc limit ${limit}`
}
