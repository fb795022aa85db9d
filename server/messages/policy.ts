/** The longest message. */
export const messageMaxChars = 4000

/** The most files attached to a message. */
export const filesPerMessageMax = 10

/** The most questions about a deal of one partner. */
export const threadsPerDealMax = 100

/** The most messages of a question and its answers. */
export const messagesPerThreadMax = 500

/** After how many hours the team is reminded of an open question unless operators choose otherwise. */
export const remindAfterHours = 24

/** Days over which the median time to a first answer is measured. */
export const usualAnswerDays = 90
export const usualAnswerMin = 5

/** The most saved replies. */
export const savedRepliesMax = 100
