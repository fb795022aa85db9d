/** Maximum length of a message. */
export const messageMaxChars = 4000

/** Maximum files attached to a message. */
export const filesPerMessageMax = 10

/** Maximum questions of one partner about a deal. */
export const threadsPerDealMax = 100

/** Maximum messages in a thread. */
export const messagesPerThreadMax = 500

/** Messages on a page of a thread. */
export const messagesPageSize = 50

/** The default number of hours until operators are reminded of an open question. */
export const remindAfterHours = 24

/** Days over which the median time to a first answer is measured. */
export const usualAnswerDays = 90
export const usualAnswerMin = 5

/** Maximum saved replies. */
export const savedRepliesMax = 100

/** A message is mailed after this time, in milliseconds, unless its recipient has read it by then. */
export const readBeforeMailMs = 5000
