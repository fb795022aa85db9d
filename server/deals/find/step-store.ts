import type { Fragment, ISql } from 'postgres'
import { allOf, anyOf } from '#db/fragments.ts'
import { dayMs } from '../../protocol/units.ts'
import { type Zone, addDays, dayOf, startOfDay, utc } from '../../protocol/zone.ts'
import {
  type Milestone,
  type MilestoneDate,
  type MilestoneName,
  type Part,
  milestoneOf,
} from '../milestones/milestone.ts'
import { followersOf } from '../milestones/standing.ts'
import { type TimeField, columnOf, flagsOf, formerDayColumnOf } from './columns.ts'

/** Returns a time of a deal, which version 1 kept as a day. */
export function timeOf(sql: ISql, field: TimeField): Fragment {
  const day = formerDayColumnOf(field)
  return sql.unsafe(day === null ? columnOf(field) : `coalesce(${columnOf(field)}, ${day})`)
}

/** Returns a condition of a time: of its column, or of the one in which version 1 kept the day. */
function ofColumns(
  sql: ISql,
  field: TimeField,
  conditionOn: (column: Fragment, isDay: boolean) => Fragment,
): Fragment {
  const [own, day] = [columnOf(field), formerDayColumnOf(field)]
  const condition = conditionOn(sql.unsafe(own), false)
  return day === null ? condition : sql`(${condition} or ${conditionOn(sql.unsafe(day), true)})`
}

export const datesOf = ({ dates }: Milestone, wanted: Part) => dates.filter(({ part }) => part === wanted)

/**
 * Returns the condition that a time has come, the opposite of `isAhead`: an instant until now, a date until today.
 */
export function hasCome(sql: ISql, column: Fragment, zone: Zone): Fragment {
  const today = dayOf(new Date(), zone)
  const [date, next] = [today, addDays(today, 1)].map((day) => instantText(startOfDay(day, utc))) as [
    string,
    string,
  ]
  return sql`coalesce(${column} = ${date}::timestamptz or ${column} <= now() and ${column} <> ${next}::timestamptz, false)`
}

/** Returns the condition that a date of a deal has come. */
export type Came = (field: TimeField) => Fragment

/** Returns how the columns of a deal tell whether its dates have come. */
export const cameByColumns =
  (sql: ISql, zone: Zone): Came =>
  (field) =>
    ofColumns(sql, field, (column) => hasCome(sql, column, zone))

/** Returns the condition that any of these dates has come; what is dated in the future is a plan. */
export const haveCome = (sql: ISql, dates: readonly MilestoneDate[], came: Came) =>
  anyOf(
    sql,
    dates.map(({ field }) => came(field)),
  )

/** Returns the condition that a step has an end that has come, or a flag that says so. */
export const isDone = (sql: ISql, milestone: Milestone, came: Came) => {
  const flags = flagsOf(milestone.doneFlag === undefined ? [] : [milestone.doneFlag])
  return sql`(${haveCome(sql, datesOf(milestone, 'end'), came)} or (flags & ${flags}::integer) <> 0)`
}

/**
 * Returns the condition that a deal still needs a step, as its timeline tells it: it is not done, nothing that
 * follows it is, and it is required or begun.
 */
export function isStepToDo(sql: ISql, name: MilestoneName, came: Came): Fragment {
  const milestone = milestoneOf(name)
  const followers = followersOf(name)
  const isBegun = haveCome(sql, datesOf(milestone, 'begin'), came)
  const areFollowersBegun = haveCome(
    sql,
    followers.flatMap((follower) => datesOf(follower, 'begin')),
    came,
  )
  const { requiredFlag } = milestone
  const conditions = [
    ...[milestone, ...followers].map((each) => sql`not ${isDone(sql, each, came)}`),
    sql`((${isBegun}) or not (${areFollowersBegun}))`,
    ...(requiredFlag === undefined
      ? []
      : [sql`((${isBegun}) or (flags & ${flagsOf([requiredFlag])}::integer) <> 0)`]),
  ]
  return sql`(${allOf(sql, conditions)})`
}

/** Returns an instant as the database reads it, which has no year 0, and no sign before the year 10000. */
export const instantText = (ms: number) =>
  ms < Date.parse('0001-01-01') ? '-infinity' : new Date(ms).toISOString().replace('+0', '')

/** The first and last day, such as `2026-03-01`; either end may be open. */
export interface DayRange {
  from?: string | undefined
  to?: string | undefined
}

/** Returns the condition that a time is a date without a time: midnight UTC, the zone of all sessions. */
const isDate = (sql: ISql, time: Fragment): Fragment => sql`(${time})::time = '00:00'`

/** Returns in which of the spans that begin with these days a time lies, counted from 1; 0 before the first. */
export function spanOf(sql: ISql, time: Fragment, starts: readonly string[], zone: Zone): Fragment {
  const spanIn = (whose: Zone) => {
    const instants = starts.map((day) => instantText(startOfDay(day, whose)))
    return sql`width_bucket(${time}, ${`{${instants.join()}}`}::timestamptz[])`
  }
  if (zone === utc) return spanIn(utc)
  return sql`case when ${isDate(sql, time)} then ${spanIn(utc)} else ${spanIn(zone)} end`
}

/**
 * Returns the day of a time in a zone, as the number of days since 1970. The days since `first` are found among their
 * beginnings, which takes a tenth as long as to convert a time.
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

/** Returns the condition that a time of a deal lies on these days of a zone. */
export const isOnDays = (sql: ISql, field: TimeField, days: DayRange, zone: Zone): Fragment =>
  ofColumns(sql, field, (column, isDay) => columnIsOnDays(sql, column, days, isDay ? utc : zone))

/**
 * Returns the condition that a time lies on these days of a zone. The column is compared with constants alone: instants with
 * where the days begin and end, dates without a time, which are midnight UTC, with the days as such.
 */
function columnIsOnDays(sql: ISql, column: Fragment, { from, to }: DayRange, zone: Zone): Fragment {
  const conditions: Fragment[] = []
  if (from !== undefined) {
    const [start, date] = [zone, utc].map((each) => startOfDay(from, each)) as [number, number]
    // West of UTC a day begins after the midnight that stands for it as a date.
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
