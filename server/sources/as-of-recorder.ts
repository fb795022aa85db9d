import type { Database } from '#db/client.ts'
import type { Background } from '../protocol/background.ts'
import { readAsOf } from './as-of-store.ts'

/** How old the remembered time may be. */
const rememberedMs = 5000

/** Remembers up to when all sources have been read, so that no answer waits for a query of its own. */
export class AsOfRecorder {
  readonly #db: Database
  readonly #background: Background
  #asOf: Date | null | undefined
  #readAt = -Infinity

  constructor(db: Database, background: Background) {
    this.#db = db
    this.#background = background
  }

  /** Returns the time, null without a source; asks the database at the first call only. */
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
    this.#asOf = await readAsOf(this.#db)
    return this.#asOf
  }
}
