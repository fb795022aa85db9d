import DataLoader from 'dataloader'
import { outsideRequest } from '../admission/slots.ts'

/**
 * Returns a loader that runs at most two queries at a time and batches all further keys into the next query.
 * A query never begins before the calls that it serves, so that revocation is effective immediately.
 */
export function batchedLookup<T>(
  find: (keys: string[]) => Promise<Map<string, T>>,
): DataLoader<string, T | undefined> {
  let older: Promise<unknown> = Promise.resolve()
  let newer: Promise<unknown> = Promise.resolve()
  return new DataLoader(
    async (keys: readonly string[]) => {
      // Callers share this query, so it must not occupy the slot of any one caller.
      const finding = outsideRequest(() => find([...new Set(keys)]))
      older = newer
      newer = finding.catch(() => {})
      const found = await finding
      return keys.map((key) => found.get(key))
    },
    {
      cache: false,
      maxBatchSize: 500,
      batchScheduleFn: (send) => void older.then(() => setImmediate(send)),
    },
  )
}
