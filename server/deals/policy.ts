/** The default number of days that events and their deliveries are kept. */
export const eventRetentionDays = 90

/** Maximum candidates read by index. */
export const narrowMax = 10_000

/** Maximum deals of a long list that are counted without an index, from its start. */
export const countScanLimit = 30_000

/** Maximum deals selected in a list at once. */
export const chosenMax = 500

/** The largest plausible amount of a deal, in dollars. Larger amounts are often in cents. */
export const amountMax = 2_000_000

/** The largest plausible system, in kilowatts. Larger sizes are often in watts. */
export const sizeMaxKw = 1000

/** The range of plausible dates: from this year to some years from now. */
export const firstYear = 2000
export const yearsAhead = 10

/** The largest deal, as its JSON. Records of files are smaller, but complete each other. */
export const dealMaxBytes = 512 * 1024

/** A page of events ends with the one that makes it longer than this. */
export const eventPageMaxBytes = 8 * 1024 * 1024

/** A page of a deal's history ends with the event that makes it longer than this. */
export const historyPageMaxBytes = 1024 * 1024

/** Maximum events read to tell when a deal moved. */
export const observedMax = 100

/** How many seconds a request for events may wait. Common proxies end a request after 30. */
export const waitMaxS = 25

/** The most requests of a token that wait at once; another one ends the oldest. */
export const waitsPerToken = 4
