/** The default number of days that events and their deliveries are kept. */
export const eventRetentionDays = 90

/** The most deals that are looked at because an index says that they may match. */
export const narrowMax = 10_000

/** The most deals of a long list that are counted when no index says which ones may match: the first ones. */
export const glanceMax = 30_000
