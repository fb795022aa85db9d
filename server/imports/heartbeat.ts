import type { Database } from '#db/client.ts'
import { startRenewing } from '../admission/renewed-lease.ts'
import { noCounts } from '../records/import-deals.ts'
import { type LeasedImport, renewImportLease } from './store.ts'

const heartbeatMs = 1000

/** Records a heartbeat with the current counts about once a second. */
export function beginHeartbeat(db: Database, leased: Pick<LeasedImport, 'id' | 'leaseId'>) {
  const counts = { ...noCounts(), removed: 0 }
  const held = startRenewing(heartbeatMs, () => renewImportLease(db, leased, counts))
  return { counts, isLost: () => held.lost.aborted, end: held.end }
}
