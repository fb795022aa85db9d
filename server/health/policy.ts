import { dayMs } from '../values/units.ts'

/** Number of days before expiry when Health starts to warn about a token. */
export const expiryHorizonDays = 14

/** Number of hours shown on the Health page, including the current one. */
export const visibleHours = 24

/** Number of days after which hourly figures are deleted. */
export const hourRetentionDays = 30

/** Health warns when the data directory's disk has less free space than this. */
export const diskFreeMinBytes = 1024 ** 3

/** Health warns when the last backup is older than this. */
export const backupMaxAgeMs = 7 * dayMs
