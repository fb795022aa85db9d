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

/** The health of the system, for operators. */
export const healthRouter = router({
  /** Returns all figures; counts beyond `countMax` are reported as one more than that. */
  read: forOperators.query(async ({ ctx: { db } }) => {
    const [database, workers, queue, attempts, requests, endpoints, expiringTokens] = await Promise.all([
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
      endpoints: endpoints.slice(0, endpointsMax),
      hasMoreEndpoints: endpoints.length > endpointsMax,
    }
  }),
})
