import { addDays, mondayOf } from './zone.ts'

/** First and last day, `YYYY-MM-DD`. */
export interface Days {
  from?: string
  to?: string
}

const textOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

const countedDays = /^(last|next|over)-([1-9]\d{0,3})-days$/
const daysBetween = /^(0|[1-9]\d{0,3})-to-([1-9]\d{0,3})-days$/
const periods = ['this-month', 'last-month', 'this-year'] as const

const isWindow = (text: string): text is DayWindow => (dayWindows as readonly string[]).includes(text)

/** A choice of days: relative to today, a named period, or a first and last day. */
export type DateChoice =
  | { kind: 'last' | 'next' | 'over'; days: number }
  | { kind: 'between'; least: number; most: number }
  | { kind: 'window'; window: DayWindow }
  | { kind: 'period'; name: (typeof periods)[number] }
  | { kind: 'range'; from?: string; to?: string }

/**
 * Parses a query parameter. Accepted forms are `2026-01-01..2026-02-01` (with either side optional), a window
 * such as `since-friday`, `this-month`, `last-month`, `this-year`, and, with any number, `last-7-days`,
 * `next-7-days`, `over-7-days` (ago), and `8-to-30-days` (ago). Returns null for any other text.
 */
export function parseDateChoice(text: string): DateChoice | null {
  if (isWindow(text)) return { kind: 'window', window: text }
  const [, kind, count] = countedDays.exec(text) ?? []
  if (kind !== undefined) return { kind: kind as 'last' | 'next' | 'over', days: Number(count) }
  const [, least, most] = daysBetween.exec(text) ?? []
  if (least !== undefined)
    return Number(least) <= Number(most)
      ? { kind: 'between', least: Number(least), most: Number(most) }
      : null
  const name = periods.find((each) => each === text)
  if (name !== undefined) return { kind: 'period', name }
  const [, from, to] = /^([\d-]*)\.\.([\d-]*)$/.exec(text) ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return null
  if (![from, to].every((day) => day === '' || isDay(day))) return null
  return { kind: 'range', ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }) }
}

function daysOf(choice: DateChoice, today: string): Days {
  const now = new Date(today)
  // Out-of-range days and months roll over.
  const at = (months: number, day: number) =>
    textOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, day))
  const inDays = (days: number) => at(0, now.getUTCDate() + days)
  switch (choice.kind) {
    case 'window':
      return daysOfWindow(choice.window, today)
    case 'last':
      return { from: inDays(1 - choice.days), to: today }
    case 'next':
      return { from: today, to: inDays(choice.days - 1) }
    case 'over':
      return { to: inDays(-1 - choice.days) }
    case 'between':
      return { from: inDays(-choice.most), to: inDays(-choice.least) }
    case 'period':
      if (choice.name === 'this-month') return { from: at(0, 1), to: at(1, 0) }
      if (choice.name === 'last-month') return { from: at(-1, 1), to: at(0, 0) }
      return { from: `${today.slice(0, 4)}-01-01`, to: `${today.slice(0, 4)}-12-31` }
    case 'range': {
      const { kind: _, ...days } = choice
      return days
    }
  }
}

/** Returns the days of a query parameter if today is `today`, or null if the parameter is invalid. */
export function parseDays(text: string, today: string): Days | null {
  const choice = parseDateChoice(text)
  return choice === null ? null : daysOf(choice, today)
}

/** Returns true if a string is a calendar day. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

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
