const dollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
})
const dollarsShort = [0, 1].map(
  (maximumFractionDigits) =>
    new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'USD',
      notation: 'compact',
      maximumFractionDigits,
    }),
)
const count = new Intl.NumberFormat('en-US')
// In UTC, so that the server and every browser show the same day; dates without a time are midnight UTC.
const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const dayOfYear = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  year: 'numeric',
  timeZone: 'UTC',
})
const instant = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Formats US dollars without cents: `$30,800`. */
export const formatDollars = (amount: number) => dollars.format(amount)

/** Formats US dollars in thousands or millions: `$31K`, `$24.1M`. */
export const formatDollarsShort = (amount: number) =>
  dollarsShort[Math.abs(amount) < 1_000_000 ? 0 : 1]!.format(amount)

/** Formats a whole number: `1,100`. */
export const formatCount = (value: number) => count.format(value)

/** Formats a count with its noun: `1 deal`, `1,100 deals`. */
export const formatCountOf = (value: number, noun: string) =>
  `${count.format(value)} ${noun}${value === 1 ? '' : 's'}`

/** Formats the day of an instant: `Apr 8`, with the year unless it is the current one. */
export function formatDay(time: string, nowMs: number): string {
  const date = new Date(time)
  return (date.getUTCFullYear() === new Date(nowMs).getUTCFullYear() ? day : dayOfYear).format(date)
}

/** Formats an instant in full: `Apr 8, 2026, 3:00 PM UTC`. */
export const formatInstant = (time: string) => `${instant.format(new Date(time))} UTC`

/** Formats the time since an instant: `17 minutes`, `5 hours`, `12 days`. */
export function formatDuration(time: string, nowMs: number): string {
  const ms = Math.max(0, nowMs - Date.parse(time))
  if (ms < minuteMs) return 'under 1 minute'
  if (ms < hourMs) return formatCountOf(Math.floor(ms / minuteMs), 'minute')
  return ms < dayMs
    ? formatCountOf(Math.floor(ms / hourMs), 'hour')
    : formatCountOf(Math.floor(ms / dayMs), 'day')
}

/** Formats the time until an instant: `in 5 minutes`, `tomorrow`, `in 12 days`. */
export function formatUntil(time: string, nowMs: number): string {
  const ms = Math.max(0, Date.parse(time) - nowMs)
  if (ms < hourMs) return relative.format(Math.ceil(ms / minuteMs), 'minute')
  return ms < dayMs
    ? relative.format(Math.round(ms / hourMs), 'hour')
    : relative.format(Math.round(ms / dayMs), 'day')
}

/** Formats the time since an instant: `5 minutes ago`, `yesterday`; the day if it is over 30 days ago. */
export function formatAgo(time: string, nowMs: number): string {
  const ms = Math.max(0, nowMs - Date.parse(time))
  if (ms < minuteMs) return 'just now'
  if (ms < hourMs) return relative.format(-Math.floor(ms / minuteMs), 'minute')
  if (ms < dayMs) return relative.format(-Math.floor(ms / hourMs), 'hour')
  return ms < 30 * dayMs ? relative.format(-Math.floor(ms / dayMs), 'day') : formatDay(time, nowMs)
}
