import DataLoader from 'dataloader'
import { outsideRequest } from '../admission/slots.ts'

/**
 * Returns a loader without a cache that runs at most two queries at a time; later keys are batched into the
 * next query. Each result is from a query that began after its request, so revocation is effective
 * immediately.
 */
export function batchedLookup<T>(
  find: (keys: string[]) => Promise<Map<string, T>>,
): DataLoader<string, T | undefined> {
  let older: Promise<unknown> = Promise.resolve()
  let newer: Promise<unknown> = Promise.resolve()
  return new DataLoader(
    async (keys: readonly string[]) => {
      // Shared by all callers, so it waits for no caller's slot.
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
