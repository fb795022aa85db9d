import type { Fragment, ISql } from 'postgres'
import { listed, anyOf, allOf } from '#db/fragments.ts'
import { isWithin } from '../accounts/store.ts'
import { type TimeField, flagsOf, columnOf } from '../deals/columns.ts'
import { type StepNow, type FlowStep, flowFields, flowSteps } from '../deals/flow.ts'
import { type MilestoneName, milestoneOfStep } from '../deals/milestone.ts'
import { stepsOf } from '../deals/status.ts'
import { type StageKind, isClosed, isMoving, isWon } from '../stages/stage.ts'
import { stagesThat } from '../stages/store.ts'
import { dayMs } from '../values/units.ts'
import { type Zone, addDays, dayOf, utc, startOfDay } from '../values/zone.ts'
import type { DealSnapshot } from './totals-store.ts'

/** Returns the column of a time field. */
export const timeOf = (sql: ISql, field: TimeField): Fragment => sql.unsafe(columnOf(field))

/**
 * Returns the condition that a time has passed: instants up to now and dates up to today. The opposite of
 * `isAhead`.
 */
function isPast(sql: ISql, column: Fragment, zone: Zone): Fragment {
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
function columnIsOnDays(sql: ISql, column: Fragment, { from, to }: DayRange, zone: Zone): Fragment {
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

// SQL for the durations of completed steps, computed from their dates.

const isInWonStage = (sql: ISql) => sql`coalesce(stage, '') = any(array(${stagesThat(sql, isWon)}))`

/** Returns the condition that a deal needs no permit, in which case installation follows NTP. */
export const needsNoPermit = (sql: ISql) =>
  sql`(${timeOf(sql, 'permitReceived')} is null and ${timeOf(sql, 'permitSubmitted')} is null
    and (given & ~flags & ${flagsOf(['permitRequired'])}::integer) <> 0)`

/** Returns the time when a step began, as SQL. Null if not recorded. */
const beginBySql = (sql: ISql, step: FlowStep): Fragment =>
  step === 'install'
    ? sql`(case when ${needsNoPermit(sql)} then ${timeOf(sql, 'ntpApproved')} else ${timeOf(sql, 'permitReceived')} end)`
    : timeOf(sql, flowFields[step].from)

/** Returns the day of a time in a zone. A date without a time is stored as midnight UTC and keeps its day. */
function dayIn(sql: ISql, time: Fragment, zone: Zone): Fragment {
  if (zone === utc) return sql`(${time})::date`
  return sql`(case when date_trunc('day', ${time}) = ${time} then (${time})::date else (${time} at time zone ${zone}::text)::date end)`
}

/** Requires that a date, not only the stage, ended the step, and that the step's dates are in order. */
function hasDays(sql: ISql, step: FlowStep, zone: Zone): Fragment {
  const [begin, end] = [beginBySql(sql, step), timeOf(sql, flowFields[step].to)]
  return sql`coalesce(${isPast(sql, begin, zone)} and ${isPast(sql, end, zone)}
    and ${dayIn(sql, end, zone)} >= ${dayIn(sql, begin, zone)}, false)`
}

/** Returns the condition that the durations of all these steps are known. */
export const tookSteps = (sql: ISql, steps: readonly FlowStep[], zone: Zone): Fragment =>
  allOf(
    sql,
    steps.map((step) =>
      step === 'payment'
        ? sql`${isInWonStage(sql)} and ${hasDays(sql, step, zone)}`
        : hasDays(sql, step, zone),
    ),
  )

/**
 * The two dates that bound each step, by the milestone that completes the step. Payment has no such dates.
 */
const datesOfDone = flowSteps.flatMap((step) => {
  const name = milestoneOfStep(step)
  return name === null ? [] : [{ name, field: flowFields[step].to }]
})

/** Returns the condition that a completed step lacks a date for its duration. Reports exclude such deals. */
export const isUndated = (sql: ISql): Fragment =>
  anyOf(
    sql,
    datesOfDone.map(({ name, field }) => sql`(${hasDone(sql, name)} and ${timeOf(sql, field)} is null)`),
  )

// SQL conditions on the stored status of deals (`deals/status.ts`).

/** Returns the condition that a deal has completed a step. */
export const hasDone = (sql: ISql, name: MilestoneName): Fragment =>
  sql`(steps_done & ${stepsOf([name])}::integer) <> 0`

/** Returns the condition that a deal needs a step and has not completed it. */
export const hasToDo = (sql: ISql, name: MilestoneName): Fragment =>
  sql`(steps_to_do & ${stepsOf([name])}::integer) <> 0`

/** Returns the condition that a needed step was planned for a day before `today` in the zone. */
export const isLate = (sql: ISql, zone: Zone, today = dayOf(new Date(), zone)): Fragment =>
  isDueOn(sql, { to: addDays(today, -1) }, zone)

/**
 * Returns the condition that a needed step is planned for one of these days. The deal is late starting the
 * day after.
 */
export const isDueOn = (sql: ISql, days: DayRange, zone: Zone): Fragment =>
  sql`coalesce(${columnIsOnDays(sql, sql`due_at`, days, zone)}, false)`

/** Returns the condition that a deal is late with this step. */
export const isLateWith = (sql: ISql, name: MilestoneName, zone: Zone, today?: string): Fragment =>
  sql`(due_step = ${name} and ${isLate(sql, zone, today)})`

/** Returns the condition that a deal has been in its step for at least `days`. */
export const isSince = (sql: ISql, days: number, zone: Zone, today = dayOf(new Date(), zone)): Fragment =>
  sql`coalesce(${columnIsOnDays(sql, sql`step_since`, { to: addDays(today, -days) }, zone)}, false)`

/**
 * Returns the condition that an open deal has been in one of these steps for at least the given number of
 * days.
 */
export function isInStep(
  sql: ISql,
  steps: Partial<Record<StepNow, number>>,
  zone: Zone,
  today?: string,
): Fragment {
  const conditions = (Object.entries(steps) as [StepNow, number][]).map(([step, days]) => {
    if (step === 'unknown') return sql`flow_step is null`
    return days === 0
      ? sql`flow_step = ${step}`
      : sql`(flow_step = ${step} and ${isSince(sql, days, zone, today)})`
  })
  return sql`(${isInMovingStage(sql)} and coalesce(${anyOf(sql, conditions)}, false))`
}

/** Returns the condition that a deal is in an unknown stage or in a stage where work continues. */
export const isInMovingStage = (sql: ISql) =>
  sql`coalesce(stage, '') <> all(array(${stagesThat(sql, (kind) => !isMoving(kind))}))`

/** Returns the condition that a deal's stage is not closed. */
export const isInOpenStage = (sql: ISql) =>
  sql`coalesce(stage, '') <> all(array(${stagesThat(sql, isClosed)}))`

/** Returns the condition that a deal's stage has a matching kind. */
export const isInStageThat = (sql: ISql, is: (kind: StageKind) => boolean) =>
  sql`coalesce(stage, '') = any(array(${stagesThat(sql, is)}))`

/**
 * SQL that ends a subquery so that its columns are computed once per row instead of at each use. PostgreSQL
 * treats the quoted text as a constant, which allows parallel scans; a number would prevent these.
 */
export const onceEach = (sql: ISql) => sql`offset '0'`

export interface DatedDeals {
  /** The deals as a `from` clause. */
  deals: Fragment
  /** Returns SQL for the time of a date field. The time is null if it is in the future. */
  time: (field: TimeField) => Fragment
}

/**
 * Returns all of the tenant's deals with their past dates. Each date is computed once per deal because the
 * rules of steps use most dates many times.
 */
export function datedDeals({ sql, tenant, zone }: DealSnapshot, fields: readonly TimeField[]): DatedDeals {
  const time = (field: TimeField) => sql`${sql(`come_${field}`)}`
  const columns = [...new Set(fields)].map((field) => {
    const given = timeOf(sql, field)
    return sql`case when ${isPast(sql, given, zone)} then ${given} end as ${time(field)}`
  })
  return {
    deals: sql`(
      select *, ${listed(sql, columns)}
      from deals where ${isWithin(sql, tenant)} ${onceEach(sql)}) deals`,
    time,
  }
}

/** Returns when the status of one of the tenant's deals will next change because of a date, or null. */
export async function readNextStep({ sql, tenant }: DealSnapshot): Promise<Date | null> {
  const [row] = await sql<[{ at: string | null }]>`
    select min(status_changes_at)::text as at from deals
    where ${isWithin(sql, tenant)} and status_changes_at > now()`
  return row.at === null ? null : new Date(row.at)
}
