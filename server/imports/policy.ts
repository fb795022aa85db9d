/** Maximum number of results shown per kind. */
export const sampleMax = 50

/** Maximum size of a file that the portal imports. */
export const importFileMaxBytes = 1024 ** 3

/** Number of days that rejected rows are kept. */
export const rejectedRetentionDays = 30

/** Number of days within which an import can be undone. */
export const undoRetentionDays = 30

/** Number of days that unfinished imports are kept. */
export const leftoverRetentionDays = 7

/**
 * Maximum number of rejected rows that can be corrected in the portal. Other rows are in the file of rejected
 * rows.
 */
export const correctableMax = 200
export const correctableMaxBytes = 2 * 1024 * 1024
