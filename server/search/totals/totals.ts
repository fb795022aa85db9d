import { dayMs, minuteMs, secondMs } from '../../values/units.ts'

/** Lists of up to this many deals are counted on each request, in about 30 ms. */
export const countedAtOnceMax = 20_000

/** How long a computation may take. */
export const countMaxMs = minuteMs

/** Totals unread for this long are removed. */
export const unreadMs = 7 * dayMs

/** Outdated totals older than this are recomputed before they are read. */
export const staleMs = minuteMs

/** Stored totals of a list. */
export interface StoredTotals {
  /** The revision that they count. */
  revision: number
  /** Null: until the list changes. */
  validUntil: Date | null
}

/** Returns whether stored totals match this list revision at `now`. */
export const isCurrent = ({ revision, validUntil }: StoredTotals, listRevision: number, now: Date) =>
  revision === listRevision && (validUntil === null || now < validUntil)

/** Totals take at most this fraction of the time, per list and of the worker. */
const restFactor = 10

/** Returns the minimum time until totals may be computed again. */
export const restMs = (tookMs: number) => Math.max(5 * secondMs, restFactor * tookMs)

/** Returns the worker's pause after totals that took `tookMs`. */
export const workerRestMs = (tookMs: number) => (restFactor - 1) * tookMs
