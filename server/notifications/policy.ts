/** Connections that a process needs to notify users: one reads what happened, the other sends. */
export const noticeConnections = 2

/** Retention of notifications. */
export const notificationRetentionDays = 90

/** Maximum followed views per user: each is evaluated for each change. */
export const followedViewsMax = 20

/** The most deals of a followed view that are told at the end of a day because they entered or left it by the time alone. */
export const dayMovesMax = 500

/** Unread notifications are counted up to here. */
export const unreadMax = 100
/** The most team channels of a partner. */
export const teamChannelsMax = 20

/** The most browsers of a user that receive push messages; the oldest makes room for another. */
export const pushSubscriptionsMax = 20
