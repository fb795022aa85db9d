import { addDays, mondayOf } from './zone.ts'

/** Windows of whole days, by name. */
export const dayWindows = [
  'today',
  'yesterday',
  'last-2-days',
  'this-week',
  'since-friday',
  'last-7-days',
  'last-30-days',
] as const
export type DayWindow = (typeof dayWindows)[number]

const sinceFriday = (today: string) => addDays(mondayOf(addDays(today, -5)), 4)

const firstDays: Record<DayWindow, (today: string) => string> = {
  today: (today) => today,
  yesterday: (today) => addDays(today, -1),
  'last-2-days': (today) => addDays(today, -1),
  'this-week': mondayOf,
  'since-friday': sinceFriday,
  'last-7-days': (today) => addDays(today, -6),
  'last-30-days': (today) => addDays(today, -29),
}

/**
 * Returns the first and last day of a window, such as `2026-03-01`, if today is `today`. Weeks begin on
 * Monday. On a Friday, `since-friday` begins with the previous Friday.
 */
export function daysOfWindow(window: DayWindow, today: string): { from: string; to: string } {
  const from = firstDays[window](today)
  if (window === 'yesterday') return { from, to: from }
  return { from, to: window === 'this-week' ? addDays(from, 6) : today }
}

/** Returns the shortest window up to today that contains a day, or the longest window if none does. */
export function windowSince(day: string, today: string): DayWindow {
  const having = dayWindows.filter((window) => window !== 'yesterday' && firstDays[window](today) <= day)
  return (
    having.toSorted((a, b) => firstDays[b](today).localeCompare(firstDays[a](today)))[0] ?? 'last-30-days'
  )
}
