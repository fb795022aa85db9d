import { addDays } from '../protocol/zone.ts'

/** How many weeks the overview covers, including the current one. */
const weekCount = 12

/** Returns the Mondays of the weeks up to the one of `today`; days such as `2026-03-01`. */
export function weeksUntil(today: string): string[] {
  const sinceMonday = (new Date(today).getUTCDay() + 6) % 7
  return Array.from({ length: weekCount }, (_, index) =>
    addDays(today, (index - weekCount + 1) * 7 - sinceMonday),
  )
}
