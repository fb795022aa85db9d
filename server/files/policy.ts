/** The largest file that operators may add in the portal. */
export const dealFileMaxBytes = 256 * 1024 * 1024

/** Maximum files of a deal, including uploads. */
export const filesPerDealMax = 200

/** Retention of unfinished uploads. */
export const uploadRetentionHours = 24

/** The largest image shown as a thumbnail: the browser loads all of it. */
export const thumbnailMaxBytes = 15 * 1024 * 1024
