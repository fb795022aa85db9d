import { dayMs, hourMs, minuteMs, secondMs } from './units.ts'

declare const brand: unique symbol

/**
 * IANA name of a time zone: `America/Los_Angeles`. Only `utc` and `accounts/zone-choice.ts` create values of
 * this type.
 */
export type Zone = string & { readonly [brand]: 'Zone' }

export const utc = 'UTC' as Zone

/** A time. Text is a deal value, which may be a date without a time. A `Date` is always an instant. */
export type Moment = string | Date

/**
 * Returns true if a deal value, in milliseconds since 1970, is a date without a time, stored as midnight UTC.
 */
const isDate = (ms: number) => ms % dayMs === 0

/**
 * A time in milliseconds since 1970, and the zone for interpreting it. The zone is UTC for a date without a
 * time.
 */
export interface ReadTime {
  ms: number
  isDate: boolean
  zone: Zone
}

/**
 * Determines how a time is interpreted in a zone. All code that displays or counts days uses this function.
 */
export function readTime(time: Moment, zone: Zone): ReadTime {
  if (typeof time !== 'string') return { ms: time.getTime(), isDate: false, zone }
  const ms = Date.parse(time)
  return isDate(ms) ? { ms, isDate: true, zone: utc } : { ms, isDate: false, zone }
}

/** A zone's clock with cached offsets per day, because clocks seldom change. */
interface Clock {
  format: Intl.DateTimeFormat
  /** Offsets by day, or null for a day on which clocks change. */
  offsets: Map<number, number | null>
}

const clocks = new Map<Zone, Clock>()
const keptDaysMax = 5000

/** Returns the offset of a zone from UTC at an instant, in milliseconds. */
function offsetAt(ms: number, zone: Zone): number {
  if (zone === utc) return 0
  let clock = clocks.get(zone)
  if (clock === undefined) {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    clocks.set(zone, (clock = { format, offsets: new Map() }))
  }
  const { format, offsets } = clock
  const day = Math.floor(ms / dayMs)
  let offset = offsets.get(day)
  if (offset === undefined) {
    const [first, last] = [readOffset(format, day * dayMs), readOffset(format, (day + 1) * dayMs)]
    if (offsets.size >= keptDaysMax) offsets.clear()
    offsets.set(day, (offset = first === last ? first : null))
  }
  return offset ?? readOffset(format, ms)
}

/** Parses `GMT`, `GMT-08:00`, or, for historic local mean time, `GMT-07:52:58`. */
function readOffset(format: Intl.DateTimeFormat, ms: number): number {
  const [, sign, hours, minutes, seconds = 0] =
    /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(ms)) ?? []
  if (sign === undefined) return 0
  const ahead = (Number(hours) * 60 + Number(minutes)) * minuteMs + Number(seconds) * secondMs
  return sign === '-' ? -ahead : ahead
}

const numberOf = (ms: number, zone: Zone) => Math.floor((ms + offsetAt(ms, zone)) / dayMs)

/** Returns the day of a time in a zone as the number of days since 1970. */
export function dayNumberOf(time: Moment, zone: Zone): number {
  const read = readTime(time, zone)
  return numberOf(read.ms, read.zone)
}

/** Returns the day of a deal value, in milliseconds since 1970, as the number of days since 1970. */
export const dayNumberOfValue = (ms: number, zone: Zone) => (isDate(ms) ? ms / dayMs : numberOf(ms, zone))

const dayTexts = new Map<number, string>()

function dayText(number: number): string {
  let text = dayTexts.get(number)
  if (text === undefined) {
    if (dayTexts.size >= keptDaysMax) dayTexts.clear()
    dayTexts.set(number, (text = new Date(number * dayMs).toISOString().split('T')[0]!))
  }
  return text
}

/** Returns the day of a time in a zone: `2026-03-01`. */
export const dayOf = (time: Moment, zone: Zone) => dayText(dayNumberOf(time, zone))

/** Formats an instant as local time in a zone: `2026-03-01 17:20:05`. */
export function wallClock(ms: number, zone: Zone): string {
  const shownMs = ms + offsetAt(ms, zone)
  const day = Math.floor(shownMs / dayMs)
  // `toISOString` is several times slower, and exporting all deals formats millions of times.
  return `${dayText(day)} ${clockText(shownMs - day * dayMs)}`
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

function clockText(msOfDay: number): string {
  const seconds = Math.floor(msOfDay / secondMs)
  const minutes = Math.floor(seconds / 60)
  return `${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}`
}

/** Returns the day that is this many days after another: `2026-03-01`. */
export const addDays = (day: string, days: number) => dayText(Date.parse(day) / dayMs + days)

/** Returns the Monday of the week that contains a day such as `2026-03-01`. */
export const mondayOf = (day: string) => addDays(day, -((new Date(day).getUTCDay() + 6) % 7))

/**
 * Returns the first instant of a day such as `2026-03-01`, in milliseconds since 1970. This is not always
 * midnight, because some zones change their clocks at midnight.
 */
export function startOfDay(day: string, zone: Zone): number {
  const midnight = Date.parse(day)
  // Zones are within 14 hours of UTC, so these offsets are before and after any clock change around midnight.
  const [before, after] = [-dayMs, dayMs].map((aside) => midnight - offsetAt(midnight + aside, zone)) as [
    number,
    number,
  ]
  const number = midnight / dayMs
  const starts = [before, after].toSorted((a, b) => a - b)
  return starts.find((ms) => numberOf(ms, zone) === number) ?? before
}

/**
 * Returns the first instant at which a zone's clocks show this time. Both are in milliseconds since 1970. A
 * time skipped by a clock change is interpreted as on the clock before the change.
 */
export function instantOf(shownMs: number, zone: Zone): number {
  const [before, after] = [-dayMs, dayMs].map((aside) => shownMs - offsetAt(shownMs + aside, zone)) as [
    number,
    number,
  ]
  const instants = [before, after].toSorted((a, b) => a - b)
  return instants.find((ms) => ms + offsetAt(ms, zone) === shownMs) ?? before
}

/**
 * Returns true if clocks were turned back and are showing the time of an instant for the second time. Avoids
 * the allocations of `instantOf`, because exporting all deals makes millions of calls.
 */
export function isRepeated(ms: number, zone: Zone): boolean {
  const offset = offsetAt(ms, zone)
  const former = offsetAt(ms - dayMs, zone)
  return former > offset && offsetAt(ms + offset - former, zone) === former
}

/** Returns true if a time is after `nowMs`. A date without a time is ahead until the day begins. */
export function isAhead(time: Moment, nowMs: number, zone: Zone): boolean {
  return typeof time === 'string' ? isValueAhead(Date.parse(time), nowMs, zone) : time.getTime() > nowMs
}

/** Returns true if a deal value, in milliseconds since 1970, is after `nowMs`. */
const isValueAhead = (ms: number, nowMs: number, zone: Zone): boolean =>
  isDate(ms) ? ms / dayMs > numberOf(nowMs, zone) : ms > nowMs

/**
 * A date without a time has passed once its day has begun everywhere in the United States. Honolulu is last.
 */
const datePassesAfterMs = 10 * hourMs

/**
 * Returns when a deal's date has passed, regardless of the reader's zone. Both times are in milliseconds
 * since 1970.
 */
export const passesAt = (ms: number): number => (isDate(ms) ? ms + datePassesAfterMs : ms)

/** Returns true if a deal value, in milliseconds since 1970, has passed. */
export const isPast = (ms: number, nowMs: number): boolean => passesAt(ms) <= nowMs
