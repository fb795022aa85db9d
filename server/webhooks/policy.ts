import { dayMs, minuteMs, secondMs } from '../values/units.ts'

/** Default delay before each attempt of a delivery. */
export const retrySchedule = '0s,5s,5m,30m,2h,5h,10h,14h,20h,24h'

/** Default timeout of an attempt. */
export const attemptTimeoutMs = 15 * secondMs

/** Default minimum delay after a timeout or a 429. */
export const throttleMs = minuteMs

/** An endpoint that has failed for this long is disabled. */
export const switchOffAfterMs = 5 * dayMs

/** An endpoint counts as slowed until this long after its last pause. */
export const slowedForMs = 10 * minuteMs

/** Duration for which the old secret stays valid after a rotation. */
export const secretOverlapMs = dayMs

/** Number of days for which attempts are kept. */
export const attemptRetentionDays = 30

/** Maximum number of subscriptions per partner. */
export const subscriptionsMax = 50
