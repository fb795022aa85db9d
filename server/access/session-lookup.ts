import DataLoader from 'dataloader'
import type { Database } from '#db/client.ts'
import { type Session, findSessions } from '../accounts/session-store.ts'
import { outsideRequest, type RequestWork, currentWork } from '../admission/slots.ts'

/** Looks up sessions in batches, with at most two queries at a time. */
export class SessionLookup {
  readonly #loader: DataLoader<string, Session | undefined>
  readonly #known = new WeakMap<RequestWork, Session>()

  constructor(db: Database) {
    this.#loader = batchedLookup((hashes) => findSessions(db, hashes))
  }

  /**
   * Returns the session with this hash, or undefined if the session has expired or its partner is suspended.
   */
  async find(hash: string): Promise<Session | undefined> {
    const work = currentWork()
    const known = work === null ? undefined : this.#known.get(work)
    return known?.hash === hash ? known : this.#loader.load(hash)
  }

  /** Caches the session for the rest of the request. Do not call this in a request that ends sessions. */
  remember(work: RequestWork, session: Session): void {
    this.#known.set(work, session)
  }
}

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
