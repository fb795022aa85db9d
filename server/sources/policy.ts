import { dayMs, hourMs, minuteMs } from '../values/units.ts'

/** Poll interval of a source, in seconds. */
export const pollS = { default: 60, min: 5, max: 3600 }

/**
 * How far back each poll reads again: a search index or a long transaction may show a change this late. Each
 * hour, a whole day is read again.
 */
export const lateMs = { eachPoll: 15 * minuteMs, hourly: dayMs }

/** The assumed delay of a source until it has shown changes with a longer one. */
export const delayMinMs = 2 * minuteMs

/** For how many days the longest measured delay counts. */
export const delayDays = 7

/** How often the last day, and the list of archived deals, are read again. */
export const rereadEveryMs = hourMs

/** Pages of archived deals read per poll; a longer list continues with the next poll. */
export const archivedPagesMax = 50

/**
 * Announced deals looked up per step and stored per source, and removed deals that are looked up again; the
 * hourly and daily reads find the others.
 */
export const announcedMax = { atOnce: 500, stored: 10_000, watched: 1000 }

/** HubSpot restores deals for 90 days. */
export const restorableHours = 90 * 24

/** The portal marks older data as outdated. */
export const staleAfterMs = hourMs

/** Everything is compared each night; in between, only changes are read. */
export const comparisonMs = dayMs

/** The share of a source's deals that may be removed at once without an operator's approval. */
export const removalShare = 0.02

/** This many may always be removed: with few deals, a single one exceeds the share. */
export const removalMin = 10

/** Files checked per poll: this many failed ones and this many others in turn. */
export const filesInTurn = 60

/** Maximum rejected records stored per source. */
export const rejectsMax = 10_000

/** Maximum rejected records shown in a trial. */
export const trialRejectsShown = 10

/** Minimum pause before a hint triggers another read. */
export const hintPauseMs = 5000

/**
 * Maximum CRM calls per minute for proxied files, in total and per partner. 40 per minute are a quarter of
 * the 250,000 daily calls of HubSpot's smallest plan; the rest is for reading deals.
 */
export const fileCallsPerMinute = {
  usual: { total: 40, ofPartner: 20 },
  whileRead: { total: 10, ofPartner: 5 },
}
