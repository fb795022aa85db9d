import { outsideRequest } from './slots.ts'

// A killed process loses at most the counts of this interval.
const persistAfterMs = 10_000

/** Counts in memory, and persists the counts in batches. */
export class BufferedCounter<Counts extends { [name in keyof Counts]: number }> {
  readonly #zero: Counts
  readonly #persist: (counts: ReadonlyMap<number, Counts>) => Promise<void>
  readonly #failed: (error: unknown) => void
  #counts = new Map<number, Counts>()
  #timer: NodeJS.Timeout | undefined
  #persisting = Promise.resolve()

  /** `persist` gets the counts by key, each starting at `zero`; if it fails, they are part of the next batch. */
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
      // The batch has the counts of other requests too.
      this.#timer ??= outsideRequest(() => setTimeout(() => void this.#persistAll(), persistAfterMs))
    }
    for (const name in more) (counts[name] as number) += more[name] as number
  }

  /** Persists the remaining counts. */
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
