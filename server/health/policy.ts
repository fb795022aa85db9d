/** How many days ahead expiring tokens are listed. */
export const expiryHorizonDays = 14

/** How many hours the health page shows, the current one included. */
export const hoursShown = 24

/** Retention of hourly figures, in days. */
export const hourRetentionDays = 30
