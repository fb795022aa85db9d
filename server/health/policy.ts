/** How many days ahead expiring tokens are listed. */
export const expiryHorizonDays = 14
