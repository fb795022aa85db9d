/**
 * Number of connections that a process needs to notify users: one reads changes, the other sends messages.
 */
export const noticeConnections = 2

/** Number of days that notifications are kept. */
export const notificationRetentionDays = 90

/** Maximum number of followed views per user. All of them are evaluated for each change. */
export const followedViewsMax = 20

/** Maximum number of deals that a user follows individually. */
export const followedDealsMax = 5000

/**
 * Maximum number of deals per followed view that are reported at the end of a day because the day changed.
 */
export const dayMovesMax = 500

/** Maximum count of unread notifications that is shown. */
export const unreadMax = 100
/** Maximum number of team channels per partner. */
export const teamChannelsMax = 20

/** Maximum number of browsers per user that receive push messages. A new one replaces the oldest. */
export const pushSubscriptionsMax = 20
