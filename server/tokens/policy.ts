import { minuteMs } from '../values/units.ts'

/** The prefix of every token, for secret scanners and logs. */
export const tokenPrefix = 'pd_'

/** Days of usage that the portal shows. */
export const usageDays = 30

/** The length of a rate limit window. */
export const rateWindowMs = minuteMs
