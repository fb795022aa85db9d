import { dayMs, hourMs, minuteMs } from '#server/values/units.ts'
import { type Moment, type Zone, dayNumberOf, dayOf, readTime, utc } from '#server/values/zone.ts'

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
const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })

// Rounded, because floating-point errors depend on the order of addition.
const wholeCents = (amount: number) => Math.round(amount * 100) / 100

/** Formats US dollars without cents: `$30,800`. */
export const formatDollars = (amount: number) => dollars.format(wholeCents(amount))

/** Formats US dollars in thousands or millions: `$31K`, `$24.1M`. */
export const formatDollarsShort = (amount: number) =>
  dollarsShort[Math.abs(amount) < 1_000_000 ? 0 : 1]!.format(wholeCents(amount))

/** Formats a total, or a dash if there are deals but all their amounts are missing. */
export const formatSum = (
  { count, amount }: { count: number; amount: number },
  format: (amount: number) => string = formatDollarsShort,
) => (count > 0 && amount === 0 ? '–' : format(amount))

/** Formats an integer: `1,100`, or `10,000+` for a lower bound. */
export const formatCount = (value: number, isMore = false) => `${count.format(value)}${isMore ? '+' : ''}`

/** Formats a count with its noun: `1 deal`, `1,100 deals`, or `10,000+ deals` for a lower bound. */
export const formatCountOf = (value: number, noun: string, isMore = false) =>
  `${formatCount(value, isMore)} ${noun}${value === 1 && !isMore ? '' : 's'}`

const forms = {
  day: { month: 'short', day: 'numeric' },
  month: { month: 'short', year: 'numeric' },
  dayOfYear: { month: 'short', day: 'numeric', year: 'numeric' },
  instant: {
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  },
  clock: { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  clockToSecond: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

const formats = new Map<string, Intl.DateTimeFormat>()

function inForm(form: keyof typeof forms, ms: number, zone: Zone): string {
  const key = `${form} ${zone}`
  let format = formats.get(key)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { ...forms[form], timeZone: zone })
    formats.set(key, format)
  }
  return format.format(ms)
}

/** Formats a day: `Apr 8`, with the year unless it is the current year. */
export function formatDay(time: Moment, nowMs: number, zone: Zone): string {
  const read = readTime(time, zone)
  const isThisYear = dayOf(time, zone).slice(0, 4) === dayOf(new Date(nowMs), zone).slice(0, 4)
  return inForm(isThisYear ? 'day' : 'dayOfYear', read.ms, read.zone)
}

/** Formats a range of days: `Mar 4 – May 20, 2027`. Shows the year once if both days are in the same year. */
export function formatDays(from: string, to: string, nowMs: number, zone: Zone): string {
  const textOf = (day: string) => formatDay(`${day}T00:00:00Z`, nowMs, zone)
  if (from === to) return textOf(from)
  const isSameYear = from.slice(0, 4) === to.slice(0, 4)
  return `${isSameYear ? inForm('day', Date.parse(from), utc) : textOf(from)} – ${textOf(to)}`
}

/** Formats the month of a day: `Mar 2026` for `2026-03-01`. */
export const formatMonth = (day: string) => inForm('month', Date.parse(day), utc)

/** Elapsed time since a date without a time if that date is today. */
export const underOneDay = 'less than a day'

function bindTo(zone: Zone) {
  const daysFrom = (time: Moment, nowMs: number) =>
    dayNumberOf(new Date(nowMs), zone) - dayNumberOf(time, zone)
  return {
    zone,
    formatDay: (time: Moment, nowMs: number) => formatDay(time, nowMs, zone),
    formatDays: (from: string, to: string, nowMs: number) => formatDays(from, to, nowMs, zone),

    /** Formats a time in full: `Apr 8, 2026, 3:00 PM PDT`, or `Apr 8, 2026` for a date without a time. */
    formatInstant(time: Moment): string {
      const { ms, isDate, zone: readIn } = readTime(time, zone)
      return inForm(isDate ? 'dayOfYear' : 'instant', ms, readIn)
    },

    /** Formats the time of day to the minute or second: `3:00 PM PDT`. */
    formatClock: (instant: Date, to: 'minute' | 'second' = 'minute') =>
      inForm(to === 'second' ? 'clockToSecond' : 'clock', instant.getTime(), zone),

    /** Formats the time elapsed since `time`: `17 minutes`, `5 hours`, `12 days`. */
    formatDuration(time: Moment, nowMs: number): string {
      const { ms, isDate } = readTime(time, zone)
      const sinceMs = Math.max(0, nowMs - ms)
      if (isDate || sinceMs >= dayMs) {
        const days = daysFrom(time, nowMs)
        return days < 1 ? underOneDay : formatCountOf(days, 'day')
      }
      if (sinceMs < minuteMs) return 'less than a minute'
      return sinceMs < hourMs
        ? formatCountOf(Math.floor(sinceMs / minuteMs), 'minute')
        : formatCountOf(Math.floor(sinceMs / hourMs), 'hour')
    },

    /** Formats the time remaining until `time`: `in 5 minutes`, `tomorrow`, `in 12 days`. */
    formatUntil(time: Moment, nowMs: number): string {
      const { ms, isDate } = readTime(time, zone)
      const untilMs = Math.max(0, ms - nowMs)
      if (isDate || untilMs >= dayMs) return relative.format(Math.max(0, -daysFrom(time, nowMs)), 'day')
      return untilMs < hourMs
        ? relative.format(Math.ceil(untilMs / minuteMs), 'minute')
        : relative.format(Math.round(untilMs / hourMs), 'hour')
    },

    /** Formats how long ago `time` was: `yesterday`, or the day if that was over 30 days ago. */
    formatAgo(time: Moment, nowMs: number): string {
      const { ms, isDate } = readTime(time, zone)
      const sinceMs = Math.max(0, nowMs - ms)
      if (isDate || sinceMs >= dayMs) {
        const days = Math.max(0, daysFrom(time, nowMs))
        return days < 30 ? relative.format(-days, 'day') : formatDay(time, nowMs, zone)
      }
      if (sinceMs < minuteMs) return 'just now'
      return sinceMs < hourMs
        ? relative.format(-Math.floor(sinceMs / minuteMs), 'minute')
        : relative.format(-Math.floor(sinceMs / hourMs), 'hour')
    },
  }
}

/** Functions that format times in one zone. */
export type Format = ReturnType<typeof bindTo>

const bound = new Map<Zone, Format>()

/** Returns functions that format times in this zone; the same object for each zone. */
export function formatIn(zone: Zone): Format {
  const format = bound.get(zone) ?? bindTo(zone)
  bound.set(zone, format)
  return format
}
