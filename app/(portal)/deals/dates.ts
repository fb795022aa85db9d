/** The first and last day, `YYYY-MM-DD`. */
export interface Days {
  from?: string
  to?: string
}

const textOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The common choices. Views keep the choice, not its days, so that "last 7 days" stays relative. */
export const datePresets = [
  { value: 'last-7-days', label: 'Last 7 days' },
  { value: 'last-30-days', label: 'Last 30 days' },
  { value: 'last-90-days', label: 'Last 90 days' },
  { value: 'this-month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
  { value: 'this-year', label: 'This year' },
  { value: 'next-7-days', label: 'Next 7 days' },
  { value: 'next-30-days', label: 'Next 30 days' },
  { value: 'over-30-days', label: 'Over 30 days ago' },
  { value: 'over-90-days', label: 'Over 90 days ago' },
] as const

/** Yesterday and today. */
export const sinceYesterday = 'last-2-days'

const countedDays = /^(last|next|over)-([1-9]\d{0,3})-days$/
const daysBetween = /^(0|[1-9]\d{0,3})-to-([1-9]\d{0,3})-days$/

/**
 * Returns the days that a query parameter means on the day `today`: `2026-01-01..2026-02-01`, where either side may be left out,
 * or `last-7-days`, `next-7-days`, `over-7-days` (ago), `8-to-30-days` (ago) with any number, `this-month`, `last-month`,
 * `this-year`.
 * Null when it means nothing.
 */
export function daysOf(text: string, today: string): Days | null {
  const now = new Date(today)
  // Days and months out of range roll over.
  const at = (months: number, day: number) =>
    textOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, day))
  const inDays = (days: number) => at(0, now.getUTCDate() + days)
  const [, way, count] = countedDays.exec(text) ?? []
  if (way === 'last') return { from: inDays(1 - Number(count)), to: today }
  if (way === 'next') return { from: today, to: inDays(Number(count) - 1) }
  if (way === 'over') return { to: inDays(-1 - Number(count)) }
  const [, least, most] = daysBetween.exec(text) ?? []
  if (Number(least) <= Number(most)) return { from: inDays(-Number(most)), to: inDays(-Number(least)) }
  if (text === 'this-month') return { from: at(0, 1), to: at(1, 0) }
  if (text === 'last-month') return { from: at(-1, 1), to: at(0, 0) }
  if (text === 'this-year') return { from: `${today.slice(0, 4)}-01-01`, to: `${today.slice(0, 4)}-12-31` }
  const [, from, to] = /^([\d-]*)\.\.([\d-]*)$/.exec(text) ?? []
  if (
    from === undefined ||
    to === undefined ||
    (from === '' && to === '') ||
    ![from, to].every((day) => day === '' || isDay(day))
  )
    return null
  return { ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }) }
}

/** Returns the query parameter for these days, or null when both ends are open. */
export const textOfDays = ({ from = '', to = '' }: Days) =>
  from === '' && to === '' ? null : `${from}..${to}`

/** Returns whether a text is a calendar day. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
