/** Maximum length of a message. */
export const messageMaxChars = 4000

/** Maximum number of files attached to a message. */
export const filesPerMessageMax = 10

/** Maximum number of questions of one partner about a deal. */
export const threadsPerDealMax = 100

/** Maximum number of messages in a thread. */
export const messagesPerThreadMax = 500

export const messagesPageSize = 50

/** Default number of hours after which operators are reminded of an open question. */
export const remindAfterHours = 24

/** Number of days over which the median time to a first answer is measured. */
export const usualAnswerDays = 90
export const usualAnswerMin = 5

/** Maximum number of saved replies. */
export const savedRepliesMax = 100

/**
 * Delay before a message is mailed, in milliseconds. A recipient who reads the message in the meantime gets
 * no mail.
 */
export const readBeforeMailMs = 5000
