import type { Pace } from './drive.ts'

/** The size of a world, and the thoroughness of its measurements. */
export interface WorldSize {
  deals: number
  /** Deals of each partner whose events are sent. */
  partyDeals: number
  /** Deals of a source that is followed. */
  sourceDeals: number
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
