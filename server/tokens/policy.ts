/** How every token begins, by which secret scanners and logs recognize it. */
export const tokenPrefix = 'pd_'

/** Days of token usage shown. */
export const usageDays = 30
