import type { Random } from '#db/demo/random.ts'
import { dayMs, hourMs, minuteMs } from '#server/values/units.ts'
import { dayNumberOf, instantOf, wallClock, type Zone } from '#server/values/zone.ts'

/** Returns the weekday of a day counted from 1970, where 0 is Sunday. */
export const weekday = (day: number) => (day + 4) % 7

/** Returns the local day at an instant, counted from 1970. */
export const localDay = (zone: Zone, instant: number) => dayNumberOf(new Date(instant), zone)

/** Returns midnight UTC of the local day, which is how CRMs store a date without a time. */
export const dateOnly = (zone: Zone, instant: number) => localDay(zone, instant) * dayMs

/** Formats a date as usual in offices: `3/17`. */
export function shortDate(day: number): string {
  const date = new Date(day * dayMs)
  return `${date.getUTCMonth() + 1}/${date.getUTCDate()}`
}

/** Returns true if nobody in the industry works or sells on this day. */
export const isHoliday = (day: number) => ['1/1', '7/4', '12/24', '12/25'].includes(shortDate(day))

/** Returns the first working day on or after `day`. Saturdays are optional. */
function workday(day: number, saturdays = false): number {
  const isFree = weekday(day) === 0 || (weekday(day) === 6 && !saturdays) || isHoliday(day)
  return isFree ? workday(day + 1, saturdays) : day
}

const [opening, closing] = [8 * hourMs, 17 * hourMs]

/**
 * A local clock that advances from one task to the next during working hours. Instants are milliseconds since
 * 1970.
 */
export class Clock {
  readonly #random: Random
  readonly #zone: Zone
  #day: number
  /** Milliseconds since local midnight. */
  #ms: number

  constructor(random: Random, zone: Zone, instant: number) {
    this.#random = random
    this.#zone = zone
    const localMs = Date.parse(`${wallClock(instant, zone)}Z`)
    this.#day = Math.floor(localMs / dayMs)
    this.#ms = localMs % dayMs
  }

  /**
   * Advances to office work `min` to `max` days later, usually closer to `min`. 0 means later on the same day
   * if there is time.
   */
  later(min: number, max: number): number {
    const earliest = Math.max(opening, this.#ms + 25 * minuteMs)
    const today = earliest < closing ? this.#day : this.#day + 1
    const day = workday(Math.max(this.#day + this.#random.short(min, max), today))
    return this.#set(day, this.#random.int(day === this.#day ? earliest : opening, closing))
  }

  /**
   * Advances to an appointment at the house `min` to `max` days later, in the morning on the half hour, never
   * on a Sunday.
   */
  visit(min: number, max: number): number {
    const day = workday(this.#day + this.#random.int(min, max), this.#random.chance(0.4))
    return this.#set(day, this.#random.int(14, 18) * 30 * minuteMs)
  }

  /** Advances to the end of the work at the house, on the same or the next working day. */
  knockOff(isNextDay: boolean): number {
    const day = isNextDay ? workday(this.#day + 1, true) : this.#day
    return this.#set(day, this.#random.int(14.5 * hourMs, 17.5 * hourMs))
  }

  #set(day: number, ms: number): number {
    this.#day = day
    this.#ms = ms - (ms % 1000)
    return instantOf(day * dayMs + this.#ms, this.#zone)
  }
}
