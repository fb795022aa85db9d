/** How every token begins, by which secret scanners and logs recognize it. */
export const tokenPrefix = 'pd_'

/** How many days of a token's use are shown. */
export const usageDays = 30
