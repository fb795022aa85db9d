import type { Database } from '#db/client.ts'
import { noCounts } from '../deals/import/import-deals.ts'
import { holdLease } from '../protocol/held-lease.ts'
import { type LeasedImport, renewImportLease } from './store.ts'

const heartbeatMs = 1000

/** Records a heartbeat with the current counts about once a second. */
export function beginHeartbeat(db: Database, leased: Pick<LeasedImport, 'id' | 'leaseId'>) {
  const counts = { ...noCounts(), removed: 0 }
  const held = holdLease(heartbeatMs, () => renewImportLease(db, leased, counts))
  return { counts, isLost: () => held.lost.aborted, end: held.end }
}
