import type { Fragment, ISql } from 'postgres'
import { allOf, anyOf } from '#db/fragments.ts'
import { flagsOf } from '../deals/columns.ts'
import { type FlowStep, flowFields, flowSteps } from '../deals/milestones/flow.ts'
import { milestoneOfStep } from '../deals/milestones/milestone.ts'
import { isWon } from '../stages/stage.ts'
import { stagesThat } from '../stages/store.ts'
import { type Zone, utc } from '../values/zone.ts'
import { hasDone } from './status-store.ts'
import { isPast, timeOf } from './step-store.ts'

// SQL for the durations of completed steps, computed from their dates.

/** Returns the condition that a deal is in a won stage. */
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
