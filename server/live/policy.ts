/** The most ids of deals that one message names of a partner; more changed deals are just said to be many. */
export const namedMax = 50

/** How many open streams a user may have; the oldest ends when another begins. */
export const streamsPerUser = 8

/** How many open streams a process has by default. */
export const streamsPerProcess = 2000

/** How often a visible page without a stream looks whether deals have changed. */
export const pollWithoutStreamMs = 30_000
