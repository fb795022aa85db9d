import { dayMs, minuteMs, secondMs } from '../../values/units.ts'

/** Lists of up to this many deals are counted on each request, which takes about 30 ms. */
export const countedAtOnceMax = 20_000

/** Maximum duration of a computation. */
export const countMaxMs = minuteMs

/** Totals that were not read for this long are removed. */
export const unreadMs = 7 * dayMs

/** Totals outdated for longer than this are recomputed before they are returned. */
export const staleMs = minuteMs

/** Stored totals of a list. */
export interface StoredTotals {
  /** The list revision that the totals count. */
  revision: number
  /** Null if the totals are valid until the list changes. */
  validUntil: Date | null
}

/** Returns true if stored totals match this list revision at `now`. */
export const isCurrent = ({ revision, validUntil }: StoredTotals, listRevision: number, now: Date) =>
  revision === listRevision && (validUntil === null || now < validUntil)

/** Computing totals may take at most 1/`restFactor` of the time, both per list and for the worker. */
const restFactor = 10

/** Returns the minimum time in milliseconds until totals may be computed again. */
export const restMs = (tookMs: number) => Math.max(5 * secondMs, restFactor * tookMs)

/** Returns the worker's pause in milliseconds after a computation that took `tookMs`. */
export const workerRestMs = (tookMs: number) => (restFactor - 1) * tookMs
