import { minuteMs } from '../values/units.ts'

/** The prefix of every token, by which secret scanners and logs recognize it. */
export const tokenPrefix = 'pd_'

/** Days of token usage shown. */
export const usageDays = 30

/** Length of a rate limit's window. */
export const rateWindowMs = minuteMs
