/** Horizon of expiring tokens, in days. */
export const expiryHorizonDays = 14

/** Hours shown on the health page, including the current one. */
export const hoursShown = 24

/** Retention of hourly figures, in days. */
export const hourRetentionDays = 30
