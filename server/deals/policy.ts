/** The default number of days that events and their deliveries are kept. */
export const eventRetentionDays = 90

/** Maximum candidates read by index. */
export const narrowMax = 10_000

/** Maximum deals of a long list that are counted without an index, from its start. */
export const countScanLimit = 30_000

/** Maximum deals selected in a list at the same time. */
export const chosenMax = 500

/** The largest plausible amount of a deal, in dollars. Larger amounts are often in cents. */
export const amountMax = 2_000_000

/** The largest plausible system, in kilowatts. Larger sizes are often in watts. */
export const sizeMaxKw = 1000

/** The range of plausible dates: from this year to some years from now. */
export const firstYear = 2000
export const yearsAhead = 10

/** Maximum size of a deal's JSON. Several smaller records can add up to one deal. */
export const dealMaxBytes = 512 * 1024

/** Size of a page of events, which ends with the event that exceeds it. */
export const eventPageMaxBytes = 8 * 1024 * 1024

/** Size of a page of a deal's history, which ends with the event that exceeds it. */
export const historyPageMaxBytes = 1024 * 1024

/** Maximum events that are searched for a deal's last move. */
export const observedMax = 100

/** Maximum seconds that a request for events waits. Common proxies end a request after 30. */
export const waitMaxS = 25

/** Maximum waiting requests per token; another one ends the oldest. */
export const waitsPerToken = 4
