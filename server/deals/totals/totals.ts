import { dayMs, minuteMs, secondMs } from '../../protocol/units.ts'

/** The deals of a list up to this many are counted for each request: about 30 ms. */
export const countedAtOnceMax = 20_000

/** How long a computation may take before another process takes over. */
export const leaseMs = 2 * minuteMs

/** Totals unread for this long are removed. */
export const unreadMs = 7 * dayMs

/** Totals that are older than that, and outdated, are computed before they are read. */
export const staleMs = minuteMs

/** How often the worker recomputes changed totals, so that few readers wait. */
export const renewalMs = staleMs / 4

/** How often the worker precomputes likely totals. */
export const aheadMs = 5 * minuteMs

/** Kept totals of a list. */
export interface StoredTotals {
  /** The revision that they count. */
  revision: number
  /** Null: until the list changes. */
  validUntil: Date | null
}

/** Returns whether stored totals match this list revision at `now`. */
export const isCurrent = ({ revision, validUntil }: StoredTotals, listRevision: number, now: Date) =>
  revision === listRevision && (validUntil === null || now < validUntil)

/** Totals take at most one part in this many of the time, per list and of the worker. */
const restFactor = 10

/** Returns after how long totals may be computed again. */
export const restMs = (tookMs: number) => Math.max(5 * secondMs, restFactor * tookMs)

/** Returns the worker's pause after totals that took `tookMs`. */
export const workerRestMs = (tookMs: number) => (restFactor - 1) * tookMs
