/** Maximum deal ids per partner in a message; beyond that, null stands for many. */
export const namedMax = 50

/** Maximum streams per user; a new one closes the oldest. */
export const streamsPerUser = 8

/** The default maximum of open streams per process. */
export const streamsPerProcess = 2000

/** How often a visible page without a stream polls. */
export const pollWithoutStreamMs = 30_000
