import { dayMs, minuteMs, secondMs } from '../../protocol/units.ts'

/** The deals of a list up to this many are counted for each request: about 30 ms. */
export const countedAtOnceMax = 20_000

/** How long whoever computes totals may take; then somebody else does. */
export const leaseMs = 2 * minuteMs

/** Totals that nobody has read for so long are removed. */
export const unreadMs = 7 * dayMs

/** Totals that are older than that, and outdated, are computed before they are read. */
export const staleMs = minuteMs

/** How often the worker computes again what has changed, so that few readers wait for it. */
export const renewalMs = staleMs / 4

/** How often the worker computes ahead what readers may ask for next. */
export const aheadMs = 5 * minuteMs

/** Kept totals of a list. */
export interface KeptTotals {
  /** The revision that they count. */
  revision: number
  /** Null: until the list changes. */
  validUntil: Date | null
}

/** Returns whether kept totals are those of the list, which has this revision, at `now`. */
export const isCurrent = ({ revision, validUntil }: KeptTotals, listRevision: number, now: Date) =>
  revision === listRevision && (validUntil === null || now < validUntil)

/** The part of the time that goes into the totals of a list, and of a worker's time into those of all lists, is at most 1 in this. */
const restFactor = 10

/** Returns after how long totals may be computed again. */
export const restMs = (tookMs: number) => Math.max(5 * secondMs, restFactor * tookMs)

/** Returns how long the worker rests after totals that took so long. */
export const workerRestMs = (tookMs: number) => (restFactor - 1) * tookMs
