import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import { BufferedCounter } from '../admission/buffered-counter.ts'
import { causeOf } from '../errors.ts'
import { dayMs } from '../values/units.ts'
import { addUses } from './usage-store.ts'

/** Counts the requests of tokens. */
export interface Usage {
  /** Counts a request of a token and its `status`. */
  count(tokenId: number, status: number): void
  /** Persists the remaining counts. */
  stop(): Promise<void>
}

/** Keys combine a day with a token id, which is smaller. */
const daySize = 2 ** 32

/** Returns a counter that persists in batches. */
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
