import type { Database } from '#db/client.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import type { DealRecord } from '#server/deals/deal.ts'

/** Stores these records as deals of a partner, without events. */
export const writeRecords = (db: Database, partnerId: number | null, records: readonly DealRecord[]) =>
  writeDeals(
    db,
    records.map((record) => ({ record, partnerId })),
    { now: new Date(), events: false },
  )
