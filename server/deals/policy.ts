/** Default number of days for which events and their deliveries are kept. */
export const eventRetentionDays = 90

/** Maximum number of candidates that are read by index. */
export const narrowMax = 10_000

/**
 * Maximum number of deals of a long list that are scanned, from the start, to count matches without an index.
 */
export const countScanLimit = 30_000

/** Maximum number of deals that can be selected in a list. */
export const chosenMax = 500

/** Maximum plausible amount of a deal, in dollars. Larger amounts are often cents. */
export const amountMax = 2_000_000

/** Maximum plausible system size, in kilowatts. Larger sizes are often watts. */
export const sizeMaxKw = 1000

/** Plausible dates are between this year and some years from now. */
export const firstYear = 2000
export const yearsAhead = 10

/** Maximum size of a deal's JSON. A deal can be larger than each of the records it was merged from. */
export const dealMaxBytes = 512 * 1024

/** A page of events ends with the event that exceeds this size. */
export const eventPageMaxBytes = 8 * 1024 * 1024

/** A page of a deal's history ends with the event that exceeds this size. */
export const historyPageMaxBytes = 1024 * 1024

/** Maximum number of events searched for a deal's last change of stage. */
export const observedMax = 100

/**
 * Maximum number of seconds that a request waits for events. Common proxies abort requests after 30 seconds.
 */
export const waitMaxS = 25

/** Maximum number of waiting requests per token. A further request ends the oldest one. */
export const waitsPerToken = 4
