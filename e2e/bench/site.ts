import type { Pace } from './drive.ts'

/** The size of a world, and the thoroughness of its measurements. */
export interface WorldSize {
  deals: number
  /** Deals of each partner whose events are sent. */
  partyDeals: number
  /** The longest that another partner calls during an attack, in seconds. */
  attackS: number
  pace: Pace
  drains: number
}

/** Where a world is built: `stack` cleans up, `say` reports progress. */
export interface Site {
  stack: AsyncDisposableStack
  size: WorldSize
  say: (text: string) => void
}

/** Returns a function that computes its result on the first call and returns it from then on. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
