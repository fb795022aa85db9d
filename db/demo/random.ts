/** Reproducible random numbers. The same seed yields the same numbers on every machine (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** Returns a number from 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns an integer from `min` to `max`, inclusive. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  /** Returns an integer from `min` to `max`. Like durations, small numbers are far more frequent. */
  short(min: number, max: number): number {
    const drawn = this.next()
    return min + Math.floor(drawn * drawn * (max - min + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.int(0, items.length - 1)] as Item
  }

  /** Returns one of the items, favoring the first ones. */
  pickEarly<Item>(items: readonly Item[]): Item {
    return items[this.short(0, items.length - 1)] as Item
  }

  /** Returns one of the items with a probability proportional to its weight. */
  weighted<Item extends { weight: number }>(items: readonly Item[]): Item {
    let left = this.next() * items.reduce((sum, item) => sum + item.weight, 0)
    return items.find((item) => (left -= item.weight) < 0) ?? (items.at(-1) as Item)
  }
}

/** Returns the seed of a string (FNV-1a). */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}

/**
 * Returns the seed with this index derived from another seed. All indexes yield different seeds, because each
 * step is invertible.
 */
export function seedAt(seed: number, index: number): number {
  let hash = seed ^ Math.imul(index + 1, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
