/** Maximum deal ids per partner in a message; beyond that, null stands for many. */
export const namedMax = 50

/** Maximum streams per user; a new one closes the oldest. */
export const streamsPerUser = 8

/** Open streams that a process accepts by default. */
export const streamsPerProcess = 2000

/** How often a visible page without a stream polls. */
export const pollWithoutStreamMs = 30_000
