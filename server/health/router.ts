import about from '#package.json' with { type: 'json' }
import { forOperators, router } from '../access/procedure.ts'
import {
  countExpiringTokens,
  countMax,
  readAttempts,
  readDatabase,
  readQueue,
  readRequests,
  readFailingEndpoints,
  readWorkers,
} from './store.ts'

const endpointsMax = 20

/** How all of it does, for operators. */
export const healthRouter = router({
  /** Counts that are more than `countMax` say one more than that. */
  read: forOperators.query(async ({ ctx: { db } }) => {
    const [database, workers, queue, attempts, requests, addresses, expiringTokens] = await Promise.all([
      readDatabase(db),
      readWorkers(db),
      readQueue(db),
      readAttempts(db),
      readRequests(db),
      readFailingEndpoints(db, endpointsMax + 1),
      countExpiringTokens(db),
    ])
    return {
      version: about.version,
      readAt: new Date(),
      countMax,
      database,
      workers,
      queue,
      attempts,
      requests,
      expiringTokens,
      addresses: addresses.slice(0, endpointsMax),
      hasMoreEndpoints: addresses.length > endpointsMax,
    }
  }),
})
