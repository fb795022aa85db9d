import { formatCountOf } from '#app/ui/format.ts'
import { dayMs, hourMs, minuteMs } from '#server/values/units.ts'

/** Describes the usual answer time, such as `Usually answered within 5 hours`. */
export function usualAnswerText(ms: number): string {
  if (ms <= hourMs) return 'Usually answered within an hour'
  const span =
    ms <= 48 * hourMs - 30 * minuteMs
      ? formatCountOf(Math.ceil(ms / hourMs), 'hour')
      : formatCountOf(Math.ceil(ms / dayMs), 'day')
  return `Usually answered within ${span}`
}
