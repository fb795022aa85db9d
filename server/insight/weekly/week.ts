import { addDays, dayNumberOf, mondayOf, utc } from '../../values/zone.ts'

/** Returns the ISO week of a day: `2026-W48` for `2026-11-25`. */
export function weekOf(day: string): string {
  // The year of an ISO week is the year of its Thursday (ISO 8601).
  const thursday = addDays(mondayOf(day), 3)
  const year = new Date(thursday).getUTCFullYear()
  const days = dayNumberOf(thursday, utc) - dayNumberOf(`${year}-01-01`, utc)
  return `${year}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}`
}

/** Returns the Monday of an ISO week such as `2026-W48`, or null if the week does not exist. */
export function mondayOfWeek(week: string): string | null {
  const [, year, number] = /^(20\d\d)-W(\d\d)$/.exec(week) ?? []
  if (year === undefined) return null
  // January 4 is always in the first week.
  const monday = addDays(mondayOf(`${year}-01-04`), (Number(number) - 1) * 7)
  return weekOf(monday) === week ? monday : null
}

/**
 * Returns the Monday of the week to show on a day. On a Monday, shows the previous week, because nothing has
 * happened in the new week yet.
 */
export const displayedMonday = (today: string) => mondayOf(addDays(today, -1))
