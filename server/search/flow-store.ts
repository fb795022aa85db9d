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

// The duration of completed steps, from their dates.

/** Returns the condition that a deal is in a won stage. */
const isInWonStage = (sql: ISql) => sql`coalesce(stage, '') = any(array(${stagesThat(sql, isWon)}))`

/** Returns the condition that a deal needs no permit, so its install follows NTP. */
export const needsNoPermit = (sql: ISql) =>
  sql`(${timeOf(sql, 'permitReceived')} is null and ${timeOf(sql, 'permitSubmitted')} is null
    and (given & ~flags & ${flagsOf(['permitRequired'])}::integer) <> 0)`

/** Returns when a step began; null if not recorded. */
const beginBySql = (sql: ISql, step: FlowStep): Fragment =>
  step === 'install'
    ? sql`(case when ${needsNoPermit(sql)} then ${timeOf(sql, 'ntpApproved')} else ${timeOf(sql, 'permitReceived')} end)`
    : timeOf(sql, flowFields[step].from)

/** Returns the day of a time in a zone; a date without a time (midnight UTC) is that day. */
function dayIn(sql: ISql, time: Fragment, zone: Zone): Fragment {
  if (zone === utc) return sql`(${time})::date`
  return sql`(case when date_trunc('day', ${time}) = ${time} then (${time})::date else (${time} at time zone ${zone}::text)::date end)`
}

/** Requires that a date ended the step, not only the stage, and that its dates are in order. */
function hasDays(sql: ISql, step: FlowStep, zone: Zone): Fragment {
  const [begin, end] = [beginBySql(sql, step), timeOf(sql, flowFields[step].to)]
  return sql`coalesce(${isPast(sql, begin, zone)} and ${isPast(sql, end, zone)}
    and ${dayIn(sql, end, zone)} >= ${dayIn(sql, begin, zone)}, false)`
}

/** Returns the condition that the duration of each of these steps is known. */
export const tookSteps = (sql: ISql, steps: readonly FlowStep[], zone: Zone): Fragment =>
  allOf(
    sql,
    steps.map((step) =>
      step === 'payment'
        ? sql`${isInWonStage(sql)} and ${hasDays(sql, step, zone)}`
        : hasDays(sql, step, zone),
    ),
  )

/** The dates between which steps lie, by the milestone that ends the step. Payment has none. */
const datesOfDone = flowSteps.flatMap((step) => {
  const name = milestoneOfStep(step)
  return name === null ? [] : [{ name, field: flowFields[step].to }]
})

/**
 * Returns the condition that a completed step lacks a date for its duration: figures leave out such deals.
 */
export const isUndated = (sql: ISql): Fragment =>
  anyOf(
    sql,
    datesOfDone.map(({ name, field }) => sql`(${hasDone(sql, name)} and ${timeOf(sql, field)} is null)`),
  )
