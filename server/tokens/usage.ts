import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import { BufferedCounter } from '../admission/buffered-counter.ts'
import { causeOf } from '../errors.ts'
import { dayMs } from '../values/units.ts'
import { addUses } from './usage-store.ts'

/** Counts the requests made with each token. */
export interface Usage {
  /** Counts a request with a token and the `status` of the response. */
  count(tokenId: number, status: number): void
  /** Stores the remaining counts and stops. */
  stop(): Promise<void>
}

/** Factor for combining a day and a token id into a key. All token ids are smaller. */
const daySize = 2 ** 32

/** Returns a counter that stores its counts in batches. */
export function makeUsage(db: Database, log: Logger): Usage {
  const uses = new BufferedCounter(
    { requests: 0, errors: 0 },
    (counts) =>
      addUses(
        db,
        [...counts].map(([key, use]) => ({
          tokenId: key % daySize,
          dayNumber: Math.floor(key / daySize),
          ...use,
        })),
      ),
    (error) => log.warn({ error: causeOf(error) }, 'failed to persist token usage'),
  )
  return {
    count: (tokenId, status) =>
      uses.add(Math.floor(Date.now() / dayMs) * daySize + tokenId, {
        requests: 1,
        errors: status >= 400 ? 1 : 0,
      }),
    stop: () => uses.stop(),
  }
}
