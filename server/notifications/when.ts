import { dayMs, hourMs, minuteMs } from '../values/units.ts'
import { type Zone, addDays, dayOf, instantOf, mondayOf, wallClock } from '../values/zone.ts'

/** The schedules by which a user can receive messages. */
export const schedules = ['at-once', 'daily', 'monday'] as const
export type Schedule = (typeof schedules)[number]

export interface When {
  schedule: Schedule
  hour: number
  atNight: boolean
}

/** Time after a message about a deal during which further changes of the deal are collected. */
export const collectMs = 10 * minuteMs

/** Time during which updates of several deals are collected, because an import takes a while. */
export const jointWaitMs = minuteMs

// First hour of the night in the user's zone.
const nightFrom = 21
export const morningHour = 7

/** Returns the time at which clocks in the zone show this hour on a day such as `2026-03-01`. */
export const atHour = (day: string, hour: number, zone: Zone) =>
  instantOf(Date.parse(day) + hour * hourMs, zone)

/**
 * When an update is sent, in milliseconds since 1970, and whether it is combined with updates of other deals.
 */
export interface Due {
  ms: number
  isCollected: boolean
}

/**
 * Returns when an update at `nowMs` is sent. `lastMs` is the time of the last message about the deal, or null
 * if there was none within `collectMs`.
 */
export function dueAt(nowMs: number, lastMs: number | null, when: When, zone: Zone): Due {
  const today = dayOf(new Date(nowMs), zone)
  if (when.schedule === 'at-once') {
    const soonestMs = lastMs === null ? nowMs : Math.max(nowMs, lastMs + collectMs)
    const ms = when.atNight ? soonestMs : afterNight(soonestMs, zone)
    return { ms, isCollected: ms > soonestMs }
  }
  if (when.schedule === 'daily')
    return { ms: next(nowMs, [today, addDays(today, 1)], when.hour, zone), isCollected: true }
  const monday = mondayOf(today)
  return { ms: next(nowMs, [monday, addDays(monday, 7)], morningHour, zone), isCollected: true }
}

/** Returns the first time in the future with this hour on one of the days. */
function next(nowMs: number, days: string[], hour: number, zone: Zone): number {
  const instants = days.map((day) => atHour(day, hour, zone))
  return instants.find((ms) => ms > nowMs) ?? nowMs + dayMs
}

function afterNight(ms: number, zone: Zone): number {
  const hour = Number(wallClock(ms, zone).slice(11, 13))
  if (hour >= morningHour && hour < nightFrom) return ms
  const today = dayOf(new Date(ms), zone)
  return atHour(hour < morningHour ? today : addDays(today, 1), morningHour, zone)
}
