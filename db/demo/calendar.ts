import type { Random } from '#db/demo/random.ts'
import { dayMs, minuteMs } from '#server/values/units.ts'

/** Hours behind UTC in winter; all zones but Arizona go one hour ahead in summer. */
const hoursBehind = { pacific: 8, mountain: 7, arizona: 7, central: 6, eastern: 5 }
export type ClockZone = keyof typeof hoursBehind

interface Year {
  summerFrom: number
  summerTo: number
  holidays: ReadonlySet<number>
}

const years = new Map<number, Year>()

function yearOf(day: number): Year {
  const number = new Date(day * dayMs).getUTCFullYear()
  let year = years.get(number)
  if (!year) years.set(number, (year = makeYear(number)))
  return year
}

/** Returns daylight saving time by 15 U.S.C. 260a, and the holidays. */
function makeYear(year: number): Year {
  const day = (month: number, date: number) => Date.UTC(year, month - 1, date) / dayMs
  const nth = (month: number, count: number, of: number) => {
    const first = day(month, 1)
    return first + ((of - weekday(first) + 7) % 7) + 7 * (count - 1)
  }
  const memorialDay = day(5, 31) - ((weekday(day(5, 31)) + 6) % 7)
  return {
    summerFrom: nth(3, 2, 0),
    summerTo: nth(11, 1, 0),
    holidays: new Set([
      day(1, 1),
      memorialDay,
      day(7, 4),
      nth(9, 1, 1),
      nth(11, 4, 4),
      day(12, 24),
      day(12, 25),
    ]),
  }
}

/** Returns the weekday of a day since 1970: 0 is Sunday. */
export function weekday(day: number): number {
  return (day + 4) % 7
}

function offsetMs(zone: ClockZone, day: number): number {
  const year = yearOf(day)
  const summer = zone !== 'arizona' && day >= year.summerFrom && day < year.summerTo
  return (hoursBehind[zone] - (summer ? 1 : 0)) * 60 * minuteMs
}

/** Returns the local day (since 1970) at an instant. */
export function localDay(zone: ClockZone, instant: number): number {
  return Math.floor((instant - offsetMs(zone, Math.floor(instant / dayMs))) / dayMs)
}

/** Returns whether nobody in the industry works or sells on a day. */
export function isHoliday(day: number): boolean {
  return yearOf(day).holidays.has(day)
}

/** Returns the next working day from `day`; Saturdays are optional. */
function workday(day: number, saturdays = false): number {
  for (;;) {
    const of = weekday(day)
    if (of !== 0 && (of !== 6 || saturdays) && !isHoliday(day)) return day
    day++
  }
}

const opening = 8 * 60
const closing = 17 * 60

/**
 * A local clock that advances from one task done in working hours to the next. Instants are milliseconds
 * since 1970.
 */
export class Clock {
  readonly #random: Random
  readonly #zone: ClockZone
  #day: number
  #minute: number

  constructor(random: Random, zone: ClockZone, instant: number) {
    this.#random = random
    this.#zone = zone
    this.#day = localDay(zone, instant)
    this.#minute = Math.floor((instant - this.#day * dayMs - offsetMs(zone, this.#day)) / minuteMs)
  }

  /**
   * Advances to office work `min` to `max` days later, usually sooner; 0 means later on the same day if there
   * is time.
   */
  later(min: number, max: number): number {
    const earliest = Math.max(opening, this.#minute + 25)
    const fits = earliest < closing
    const day = workday(Math.max(this.#day + this.#random.short(min, max), fits ? this.#day : this.#day + 1))
    return this.#set(
      day,
      this.#random.int(day === this.#day ? earliest : opening, closing),
      this.#random.int(0, 59),
    )
  }

  /**
   * Advances to an appointment at the house `min` to `max` days later, on the half hour in the morning, never
   * on a Sunday.
   */
  visit(min: number, max: number): number {
    const day = workday(this.#day + this.#random.int(min, max), this.#random.chance(0.4))
    return this.#set(day, this.#random.int(14, 18) * 30, 0)
  }

  /** Advances to the end of the work at the house, `days` working days after its start. */
  knockOff(days: number): number {
    let day = this.#day
    for (let left = days; left > 0; left--) day = workday(day + 1, true)
    return this.#set(day, this.#random.int(14 * 60 + 30, 17 * 60 + 30), this.#random.int(0, 59))
  }

  #set(day: number, minute: number, second: number): number {
    this.#day = day
    this.#minute = minute
    return day * dayMs + offsetMs(this.#zone, day) + minute * minuteMs + second * 1000
  }
}

/** Returns midnight UTC of the local day, as CRMs store a date without a time. */
export function dateOnly(zone: ClockZone, instant: number): number {
  return localDay(zone, instant) * dayMs
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** `3/17`, the usual office notation of a date. */
export function shortDate(day: number): string {
  const date = new Date(day * dayMs)
  return `${date.getUTCMonth() + 1}/${date.getUTCDate()}`
}

/** `Tue 3/17`. */
export function shortDateWithWeekday(day: number): string {
  return `${weekdays[weekday(day)]} ${shortDate(day)}`
}
