import type { Database } from '#db/client.ts'
import { oneAtATime } from '../admission/one-at-a-time.ts'
import { noCounts } from '../records/import-deals.ts'
import { type LeasedImport, renewImportLease } from './store.ts'

const heartbeatMs = 1000

/** Renews the lease with the current counts about once a second, until it is ended or the lease is lost. */
export function beginHeartbeat(db: Database, leased: Pick<LeasedImport, 'id' | 'leaseId'>) {
  const counts = { ...noCounts(), removed: 0 }
  let isLost = false
  let renewing = Promise.resolve()
  const renew = oneAtATime(async () => {
    isLost ||= !(await renewImportLease(db, leased, counts))
  })
  const timer = setInterval(() => {
    // The next renewal makes up for a failed one.
    if (!isLost) renewing = renew().catch(() => {})
  }, heartbeatMs)
  return {
    counts,
    isLost: () => isLost,
    /** Resolves once no renewal is in progress. */
    async end() {
      clearInterval(timer)
      await renewing
    },
  }
}
