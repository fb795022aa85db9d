/** Maximum number of deal ids per partner in a message. Beyond that, the message contains null. */
export const namedMax = 50

/** Maximum number of streams per user. A new stream closes the oldest one. */
export const streamsPerUser = 8

/** Default maximum of open streams per process. */
export const streamsPerProcess = 2000

/** Polling interval of a visible page without a stream. */
export const pollWithoutStreamMs = 30_000
