/** The default number of days that events and their deliveries are kept. */
export const eventRetentionDays = 90
