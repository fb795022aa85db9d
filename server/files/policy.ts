/** The largest file that operators may add in the portal. */
export const dealFileMaxBytes = 256 * 1024 * 1024

/** Maximum files of a deal, including uploads. */
export const filesPerDealMax = 200

/** The least size of a part of an upload, except for the last one: each costs a content and a statement. */
export const sliceMinBytes = 64 * 1024

/** The free space that uploads leave on a disk, which the database may share. */
export const freeDiskMinBytes = 512 * 1024 * 1024

/** Retention of unfinished uploads. */
export const uploadRetentionHours = 24

/** The largest image shown as a thumbnail: the browser loads all of it. */
export const thumbnailMaxBytes = 15 * 1024 * 1024
