import { minuteMs } from '../values/units.ts'

/** Prefix of every token, so that secret scanners and logs can recognize tokens. */
export const tokenPrefix = 'pd_'

/** Number of days of usage that the portal shows. */
export const usageDays = 30

/** Length of a rate limit window. */
export const rateWindowMs = minuteMs
