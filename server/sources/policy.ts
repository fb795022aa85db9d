import { dayMs, hourMs, minuteMs } from '../values/units.ts'

/** Poll interval of a source in seconds. */
export const pollS = { default: 60, min: 5, max: 3600 }

/**
 * How far back each poll reads again, because a search index or a long transaction may delay a change this
 * long. Every hour, a whole day is read again.
 */
export const lateMs = { eachPoll: 15 * minuteMs, hourly: dayMs }

/** Assumed delay of a source until a longer delay is measured. */
export const delayMinMs = 2 * minuteMs

/** Number of days for which the longest measured delay counts. */
export const delayDays = 7

/** Interval at which the last day and the list of archived deals are read again. */
export const rereadEveryMs = hourMs

/** Maximum number of pages of archived deals read per poll. The next poll continues a longer list. */
export const archivedPagesMax = 50

/**
 * Maximum number of announced deals looked up at a time and stored per source, and of removed deals that are
 * checked for restoration. Hourly and daily reads find all others.
 */
export const announcedMax = { atOnce: 500, stored: 10_000, watched: 1000 }

/** HubSpot allows restoring deals for 90 days. */
export const restorableHours = 90 * 24

/** Age from which the portal marks data as outdated. */
export const staleAfterMs = hourMs

/** Interval between full comparisons. In between, only changes are read. */
export const comparisonMs = dayMs

/** Maximum share of a source's deals that can be removed without an operator's approval. */
export const removalShare = 0.02

/**
 * Number of deals that can always be removed. If a source has few deals, even one removal exceeds the share.
 */
export const removalMin = 10

/** Maximum number of failed files, and of other files in turn, that are checked per poll. */
export const filesInTurn = 60

/** Maximum number of rejected records stored per source. */
export const rejectsMax = 10_000

/** Maximum number of rejected records shown in a trial. */
export const trialRejectsShown = 10

/** Minimum pause before a webhook triggers another read. */
export const hintPauseMs = 5000

/**
 * Maximum number of CRM calls per minute for proxied files, in total and per partner. HubSpot's smallest plan
 * allows 250,000 calls a day. 40 calls per minute use about a quarter, and the rest is reserved for reading
 * deals.
 */
export const fileCallsPerMinute = {
  usual: { total: 40, ofPartner: 20 },
  whileRead: { total: 10, ofPartner: 5 },
}
