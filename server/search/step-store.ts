import type { Fragment, ISql } from 'postgres'
import { allOf } from '#db/fragments.ts'
import { type TimeField, columnOf } from '../deals/columns.ts'
import { dayMs } from '../values/units.ts'
import { type Zone, addDays, dayOf, startOfDay, utc } from '../values/zone.ts'

/** Returns the column of a time field. */
export const timeOf = (sql: ISql, field: TimeField): Fragment => sql.unsafe(columnOf(field))

/**
 * Returns the condition that a time has passed: instants up to now and dates up to today. The opposite of
 * `isAhead`.
 */
export function isPast(sql: ISql, column: Fragment, zone: Zone): Fragment {
  const today = dayOf(new Date(), zone)
  const [date, next] = [today, addDays(today, 1)].map((day) => instantText(startOfDay(day, utc))) as [
    string,
    string,
  ]
  return sql`coalesce(${column} = ${date}::timestamptz or ${column} <= now() and ${column} <> ${next}::timestamptz, false)`
}

/** Returns an instant in database form, which has no year 0 and no sign before the year 10000. */
export const instantText = (ms: number) =>
  ms < Date.parse('0001-01-01') ? '-infinity' : new Date(ms).toISOString().replace('+0', '')

/** First and last day, such as `2026-03-01`. Both are optional. */
export interface DayRange {
  from?: string | undefined
  to?: string | undefined
}

/**
 * Returns the condition that a time is a date without a time, stored as midnight UTC. All sessions use UTC.
 */
const isDate = (sql: ISql, time: Fragment): Fragment => sql`(${time})::time = '00:00'`

/**
 * Returns the number of the time span that contains a time. Spans start on these days and are numbered from
 * 1; times before the first span get 0.
 */
export function spanOf(sql: ISql, time: Fragment, starts: readonly string[], zone: Zone): Fragment {
  const spanIn = (whose: Zone) => {
    const instants = starts.map((day) => instantText(startOfDay(day, whose)))
    return sql`width_bucket(${time}, ${`{${instants.join()}}`}::timestamptz[])`
  }
  if (zone === utc) return spanIn(utc)
  return sql`case when ${isDate(sql, time)} then ${spanIn(utc)} else ${spanIn(zone)} end`
}

/**
 * Returns the day of a time in a zone as the number of days since 1970. Looks up days since `first` by their
 * start times, which is ten times faster than a conversion.
 */
export function dayNumberBySql(sql: ISql, time: Fragment, first: string, zone: Zone): Fragment {
  const numberOf = (date: Fragment) => sql`(${date})::date - '1970-01-01'::date`
  if (zone === utc) return numberOf(time)
  const number = Date.parse(first) / dayMs
  const days = Date.parse(dayOf(new Date(), zone)) / dayMs - number
  const starts = Array.from({ length: days + 1 }, (_, index) => startOfDay(addDays(first, index), zone))
  return sql`case
    when ${isDate(sql, time)} then ${numberOf(time)}
    when ${time} < ${instantText(starts[0]!)}::timestamptz then ${numberOf(sql`${time} at time zone ${zone}::text`)}
    else ${number - 1}::integer + width_bucket(${time}, ${`{${starts.map(instantText).join()}}`}::timestamptz[]) end`
}

/** Returns the condition that a deal's time falls on these days in a zone. */
export const isOnDays = (sql: ISql, field: TimeField, days: DayRange, zone: Zone): Fragment =>
  columnIsOnDays(sql, timeOf(sql, field), days, zone)

/**
 * Returns the condition that a time falls on these days in a zone. Compares the column only with constants:
 * instants with the start and end of the days, and dates without a time (midnight UTC) with the days
 * themselves.
 */
export function columnIsOnDays(sql: ISql, column: Fragment, { from, to }: DayRange, zone: Zone): Fragment {
  const conditions: Fragment[] = []
  if (from !== undefined) {
    const [start, date] = [zone, utc].map((each) => startOfDay(from, each)) as [number, number]
    // West of UTC, a day begins after the midnight UTC that represents the date.
    conditions.push(
      start > date
        ? sql`(${column} >= ${instantText(start)}::timestamptz or ${column} = ${instantText(date)}::timestamptz)`
        : sql`${column} >= ${instantText(start)}::timestamptz`,
    )
  }
  if (to !== undefined) {
    const [end, date] = [zone, utc].map((each) => startOfDay(addDays(to, 1), each)) as [number, number]
    conditions.push(sql`${column} < ${instantText(end)}::timestamptz`)
    if (end > date) conditions.push(sql`${column} <> ${instantText(date)}::timestamptz`)
  }
  return allOf(sql, conditions)
}
