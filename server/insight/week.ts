import { addDays, mondayOf } from '../values/zone.ts'

/** Weeks covered by the overview, including the current one. */
const weekCount = 12

/** Returns the Mondays of the weeks up to the one of `today`; days such as `2026-03-01`. */
export const weeksUntil = (today: string): string[] =>
  Array.from({ length: weekCount }, (_, index) => addDays(mondayOf(today), (index - weekCount + 1) * 7))
