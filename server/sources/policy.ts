import { dayMs, hourMs, minuteMs } from '../protocol/units.ts'

/** Poll interval of a source, in seconds. */
export const pollS = { default: 60, min: 5, max: 3600 }

/** Changes this long before the end of the previous window are read again: a search index lags behind. */
export const overlapMs = 2 * minuteMs

/** Data older than this is said to be, in the portal. */
export const staleAfterMs = hourMs

/** Each night everything is compared; in between only changes are read. */
export const comparisonMs = dayMs

/** The share of a source's deals that may be removed at once without an operator's approval. */
export const removalShare = 0.02

/** This many may always be removed: of a few deals, one is more than the share. */
export const removalMin = 10

/** How long a process that reads a source may be silent until another one goes on. */
export const sourceLeaseMs = 30_000

/** So many failed files, and so many others in turn, are asked about at each look for changes. */
export const filesInTurn = 60

/** Maximum rejected records stored per source. */
export const rejectsMax = 10_000

/** How many records are shown that a mapping would reject. */
export const trialRejectsShown = 10

/** A source is read no sooner than this after the last time because the CRM says that something has changed. */
export const hintPauseMs = 5000

/**
 * Maximum CRM calls per minute for passed-through files, in total and per partner. 40 per minute are a
 * quarter of the 250,000 daily calls of HubSpot's smallest plan; the rest is for reading deals.
 */
export const fileCallsPerMinute = {
  usual: { total: 40, ofPartner: 20 },
  whileRead: { total: 10, ofPartner: 5 },
}
