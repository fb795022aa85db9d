import { type Format, underOneDay } from '#app/ui/format.ts'

/** Formats the time since something began: `15 hours`, `12 days`. */
export function spanText(time: string, nowMs: number, { formatDuration }: Format) {
  const duration = formatDuration(time, nowMs)
  if (duration === underOneDay) return { going: 'since today', soFar: 'since today', ago: 'today' }
  return { going: `for ${duration}`, soFar: `${duration} so far`, ago: `${duration} ago` }
}
