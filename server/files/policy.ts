/** Maximum size of a file that operators add in the portal. */
export const dealFileMaxBytes = 256 * 1024 * 1024

/** Maximum number of files per deal, including unfinished uploads. */
export const filesPerDealMax = 200

/**
 * Minimum size of all slices of an upload except the last. Each slice costs a stored object and a database
 * statement.
 */
export const sliceMinBytes = 64 * 1024

/** Free space that uploads must leave on the disk, because the database may use the same disk. */
export const freeDiskMinBytes = 512 * 1024 * 1024

/** Number of hours after which unfinished uploads are deleted. */
export const uploadRetentionHours = 24

/** Maximum size of an image shown as a thumbnail; browsers load the entire image. */
export const thumbnailMaxBytes = 15 * 1024 * 1024
