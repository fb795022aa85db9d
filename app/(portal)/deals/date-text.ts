import type { Days } from '#server/values/day-choice.ts'
import { type DayWindow, dayWindows } from '#server/values/day-window.ts'

/** Labels of the date ranges that can also filter changes. `daysOfWindow` converts a range to days. */
const windowLabels: Record<DayWindow, string> = {
  today: 'Today',
  yesterday: 'Yesterday',
  'last-2-days': 'Since yesterday',
  'this-week': 'This week',
  'since-friday': 'Since Friday',
  'last-7-days': 'Last 7 days',
  'last-30-days': 'Last 30 days',
}

/** Returns the name of a date range in lower case for use inside a sentence. */
export const windowText = (window: DayWindow) =>
  windowLabels[window][0]!.toLowerCase() + windowLabels[window].slice(1)

/** Date ranges in the order of the select. */
export const windowChoices = dayWindows.map((value) => ({ value, label: windowLabels[value] }))

/** Choices shown before the others are expanded. */
export const firstPresets: readonly string[] = [
  'today',
  'this-week',
  'last-7-days',
  'last-30-days',
  'this-month',
  'next-7-days',
]

/** Common choices. Saved views store the choice itself, so that "last 7 days" stays relative. */
export const datePresets = [
  ...windowChoices,
  { value: 'last-90-days', label: 'Last 90 days' },
  { value: 'this-month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
  { value: 'this-year', label: 'This year' },
  { value: 'next-7-days', label: 'Next 7 days' },
  { value: 'next-30-days', label: 'Next 30 days' },
  { value: 'over-30-days', label: 'Over 30 days ago' },
  { value: 'over-90-days', label: 'Over 90 days ago' },
]

/** The range that contains yesterday and today. */
export const sinceYesterday: DayWindow = 'last-2-days'

/** Returns the query parameter for these days, or null if both ends are open. */
export const textOfDays = ({ from = '', to = '' }: Days) =>
  from === '' && to === '' ? null : `${from}..${to}`
