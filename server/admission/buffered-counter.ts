import { outsideRequest } from './slots.ts'

// If the process is killed, the counts of up to this interval are lost.
const persistAfterMs = 10_000

/** Counts in memory, and persists the counts in batches. */
export class BufferedCounter<Counts extends { [name in keyof Counts]: number }> {
  readonly #zero: Counts
  readonly #persist: (counts: ReadonlyMap<number, Counts>) => Promise<void>
  readonly #failed: (error: unknown) => void
  #counts = new Map<number, Counts>()
  #timer: NodeJS.Timeout | undefined
  #persisting = Promise.resolve()

  /**
   * `persist` receives the counts by key, each initialized to `zero`. After a failure, the counts are added
   * to the next batch.
   */
  constructor(
    zero: Counts,
    persist: (counts: ReadonlyMap<number, Counts>) => Promise<void>,
    failed: (error: unknown) => void,
  ) {
    this.#zero = zero
    this.#persist = persist
    this.#failed = failed
  }

  add(key: number, more: Partial<Counts>): void {
    let counts = this.#counts.get(key)
    if (counts === undefined) {
      counts = { ...this.#zero }
      this.#counts.set(key, counts)
      // The batch includes counts from other requests, so it belongs to none of them.
      this.#timer ??= outsideRequest(() => setTimeout(() => void this.#persistAll(), persistAfterMs))
    }
    for (const name in more) (counts[name] as number) += more[name] as number
  }

  /** Persists all counts that have not been persisted yet. */
  async stop(): Promise<void> {
    await this.#persistAll()
    clearTimeout(this.#timer)
  }

  #persistAll(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#persisting = this.#persisting.then(() => this.#persistOnce())
    return this.#persisting
  }

  async #persistOnce(): Promise<void> {
    if (this.#counts.size === 0) return
    const counts = this.#counts
    this.#counts = new Map()
    try {
      await this.#persist(counts)
    } catch (error) {
      this.#failed(error)
      for (const [key, more] of counts) this.add(key, more)
    }
  }
}
