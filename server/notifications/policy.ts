/** Connections that a process needs to notify users: one reads changes, the other sends. */
export const noticeConnections = 2

/** Retention of notifications. */
export const notificationRetentionDays = 90

/** Maximum followed views per user: each is evaluated for each change. */
export const followedViewsMax = 20

/** Maximum deals that a user follows one by one. */
export const followedDealsMax = 5000

/**
 * Maximum deals per followed view that are reported at the end of a day for entering or leaving it by time
 * alone.
 */
export const dayMovesMax = 500

/** Unread notifications are counted up to here. */
export const unreadMax = 100
/** Maximum team channels per partner. */
export const teamChannelsMax = 20

/** Maximum browsers per user that receive push messages; a new one replaces the oldest. */
export const pushSubscriptionsMax = 20
