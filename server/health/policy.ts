import { dayMs } from '../values/units.ts'

/** Horizon of expiring tokens, in days. */
export const expiryHorizonDays = 14

/** Hours shown on the health page, including the current one. */
export const visibleHours = 24

/** Retention of hourly figures, in days. */
export const hourRetentionDays = 30

/** Free space on the disk of the data directory below which Health warns. */
export const diskFreeMinBytes = 1024 ** 3

/** An older last backup is too old. */
export const backupMaxAgeMs = 7 * dayMs
