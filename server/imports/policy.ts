/** Maximum findings shown per kind. */
export const sampleMax = 50

/** The largest file of deals accepted in the portal. */
export const importFileMaxBytes = 1024 ** 3

/** Retention of an import's rejected rows. */
export const rejectedRetentionDays = 30

/** How long an import can be undone. */
export const undoRetentionDays = 30

/** Retention of unfinished imports. */
export const leftoverRetentionDays = 7

/**
 * Maximum rejected rows that can be corrected in the portal, and their bytes; the others are in the file of
 * rejected rows.
 */
export const correctableMax = 200
export const correctableMaxBytes = 2 * 1024 * 1024
