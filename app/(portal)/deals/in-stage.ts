import { minuteMs } from '#server/values/units.ts'

/** Returns how long a deal has been in its stage at least, by when the portal first saw it there: `At least 3 days`. */
export const seenInStage = (
  seenAt: string,
  nowMs: number,
  formatDuration: (since: string, nowMs: number) => string,
): string =>
  nowMs - Date.parse(seenAt) < minuteMs ? 'Just now' : `At least ${formatDuration(seenAt, nowMs)}`
