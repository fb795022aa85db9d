import { dayMs, minuteMs, secondMs } from '../../protocol/units.ts'

/** The deals of a list up to this many are counted for each request: about 30 ms. */
export const countedAtOnceMax = 20_000

/** How long whoever computes totals may take; then somebody else does. */
export const leaseMs = 2 * minuteMs

/** Totals that nobody has read for so long are removed. */
export const unreadMs = 7 * dayMs

/** Totals that nobody has read for so long are computed again no more often than that. */
export const restingMs = dayMs

/** How often the worker computes again what has changed, so that few readers find old totals. */
export const renewalMs = 5 * minuteMs

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

/** Returns after how long totals may be computed again: at most a tenth of the time goes into them. */
export const restMs = (tookMs: number) => Math.max(5 * secondMs, 10 * tookMs)
