import type DataLoader from 'dataloader'
import type { Database } from '#db/client.ts'
import { type Session, findSessions } from '../accounts/session-store.ts'
import { type RequestWork, currentWork } from '../admission/slots.ts'
import { batchedLookup } from './batched-lookup.ts'

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
