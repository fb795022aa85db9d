import type { Database } from '#db/client.ts'
import type { Background } from '../admission/background.ts'
import { outsideRequest } from '../admission/slots.ts'
import { readAsOf } from './as-of-store.ts'

/** Maximum age of the cached time. */
const rememberedMs = 5000

/** Caches the time up to which all sources have been read, so that responses do not need their own query. */
export class AsOfRecorder {
  readonly #db: Database
  readonly #background: Background
  #asOf: Date | null | undefined
  #readAt = -Infinity

  constructor(db: Database, background: Background) {
    this.#db = db
    this.#background = background
  }

  /**
   * Returns the time up to which all sources have been read, or null if there is no source. Only the first
   * call queries the database.
   */
  async get(): Promise<Date | null> {
    const now = performance.now()
    if (now - this.#readAt > rememberedMs) {
      this.#readAt = now
      if (this.#asOf === undefined) return this.#read()
      this.#background('data as of', '', () => this.#read())
    }
    return this.#asOf ?? null
  }

  async #read(): Promise<Date | null> {
    this.#asOf = await outsideRequest(() => readAsOf(this.#db))
    return this.#asOf
  }
}
