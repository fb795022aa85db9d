/** Retention of notifications. */
export const notificationRetentionDays = 90
