import type { Database } from '#db/client.ts'
import type { ImportCounts } from '../deals/import/import-deals.ts'
import { oneAtATime } from '../protocol/one-at-a-time.ts'
import { type LeasedImport, renewImportLease } from './store.ts'

const heartbeatMs = 1000

/** Records a heartbeat with the current counts about once a second. */
export function beginHeartbeat(db: Database, leased: Pick<LeasedImport, 'id' | 'leaseId'>) {
  const counts: ImportCounts & { removed: number } = {
    created: 0,
    updated: 0,
    unchanged: 0,
    rejected: 0,
    removed: 0,
  }
  let isLost = false
  let giving = Promise.resolve()
  const give = oneAtATime(async () => {
    isLost = !(await renewImportLease(db, leased, counts))
  })
  const timer = setInterval(() => {
    // The next heartbeat makes up for a failed one, unless another process has taken the import over by then.
    if (!isLost) giving = give().catch(() => {})
  }, heartbeatMs)
  return {
    counts,
    isLost: () => isLost,
    /** Resolves when no heartbeat is under way any more. */
    async end() {
      clearInterval(timer)
      await giving
    },
  }
}
