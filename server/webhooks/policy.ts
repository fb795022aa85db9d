import { dayMs, minuteMs, secondMs } from '../values/units.ts'

/** The default wait before each attempt of a delivery. */
export const retrySchedule = '0s,5s,5m,30m,2h,5h,10h,14h,20h,24h'

/** The default timeout of an attempt. */
export const attemptTimeoutMs = 15 * secondMs

/** The default minimum wait after a timeout or a 429. */
export const throttleMs = minuteMs

/** An endpoint that has failed for this long is disabled. */
export const switchOffAfterMs = 5 * dayMs

/** An endpoint counts as slowed until this long after its last pause. */
export const slowedForMs = 10 * minuteMs

/** How long the old secret stays valid after a rotation. */
export const secretOverlapMs = dayMs

/** Retention of attempts. */
export const attemptRetentionDays = 30

/** How many subscriptions a partner can have. */
export const subscriptionsMax = 50
