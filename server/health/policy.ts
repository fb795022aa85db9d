/** How many days ahead expiring tokens are listed. */
export const expiryHorizonDays = 14

/** How many hours the health page shows, the current one included. */
export const hoursShown = 24

/** How many days the figures of hours are kept. */
export const hourRetentionDays = 30
