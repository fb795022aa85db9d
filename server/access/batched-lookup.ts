import DataLoader from 'dataloader'
import { outsideRequest } from '../admission/slots.ts'

/**
 * Returns a loader that runs at most two queries at a time and batches further keys into the next one. Each result is
 * from a query that began after its call, so that revocation is effective immediately.
 */
export function batchedLookup<T>(
  find: (keys: string[]) => Promise<Map<string, T>>,
): DataLoader<string, T | undefined> {
  let older: Promise<unknown> = Promise.resolve()
  let newer: Promise<unknown> = Promise.resolve()
  return new DataLoader(
    async (keys: readonly string[]) => {
      // All callers share the query, so it takes no caller's slot.
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
