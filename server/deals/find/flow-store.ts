import type { Fragment, ISql } from 'postgres'
import { allOf, inRow } from '#db/fragments.ts'
import { type Zone, addDays, dayOf, utc } from '../../protocol/zone.ts'
import { isMoving, isWon } from '../../stages/stage.ts'
import { stagesThat } from '../../stages/store.ts'
import { type FlowStep, flowFields, flowSteps } from '../milestones/flow.ts'
import { type TimeField, flagsOf } from './columns.ts'
import { type Came, type DayRange, isOnDays, timeOf, isStepToDo } from './step-store.ts'

// The rules of `milestones/flow.ts` as SQL; a test compares them deal by deal.

/** Returns the condition that a deal is in a stage that is won. */
const isInWonStage = (sql: ISql) => sql`coalesce(stage, '') = any(array(${stagesThat(sql, isWon)}))`

/** Returns the condition that a deal is in a stage in which deals move on, or in none that is known. */
const isInMovingStage = (sql: ISql) =>
  sql`coalesce(stage, '') <> all(array(${stagesThat(sql, (kind) => !isMoving(kind))}))`

/** Returns the condition that a deal needs no permit, so that its install follows NTP. */
export const needsNoPermit = (sql: ISql) =>
  sql`(${timeOf(sql, 'permitReceived')} is null and ${timeOf(sql, 'permitSubmitted')} is null
    and (flags & ${flagsOf(['permitRequired'])}::integer) = 0)`

/** Returns when a step began; null when that is not recorded. */
const beginBySql = (sql: ISql, step: FlowStep): Fragment =>
  step === 'install'
    ? sql`(case when ${needsNoPermit(sql)} then ${timeOf(sql, 'ntpApproved')} else ${timeOf(sql, 'permitReceived')} end)`
    : timeOf(sql, flowFields[step].from)

/** Returns the condition that a step began on these days, and has begun. */
function beganOn(sql: ISql, step: FlowStep, days: DayRange, zone: Zone, came: Came): Fragment {
  const on = (field: TimeField) => sql`(${isOnDays(sql, field, days, zone)} and ${came(field)})`
  const own = on(flowFields[step].from)
  return step === 'install' ? sql`(${own} or (${needsNoPermit(sql)} and ${on('ntpApproved')}))` : own
}

/** Returns the condition that a step is still to be taken. */
function isToDo(sql: ISql, step: FlowStep, came: Came): Fragment {
  if (step === 'payment') return sql`true`
  const name = step === 'permitSubmission' ? 'permit' : step
  const isLeft = isStepToDo(sql, name, came)
  return step === 'permitSubmission' ? sql`(${isLeft} and not ${came('permitSubmitted')})` : isLeft
}

/** Returns the condition that a step began at least so many days ago. */
export const beganBefore = (sql: ISql, step: FlowStep, days: number, zone: Zone, came: Came): Fragment =>
  beganOn(sql, step, days === 0 ? {} : { to: addDays(dayOf(new Date(), zone), -days) }, zone, came)

/** Returns the step that a deal is in, as if it were open; null when none has begun. */
export function stepBySql(sql: ISql, zone: Zone, came: Came): Fragment {
  const cases = flowSteps.map(
    (step) =>
      sql`when ${beganBefore(sql, step, 0, zone, came)} and ${isToDo(sql, step, came)} then ${step}::text`,
  )
  return sql`(case ${inRow(sql, cases)} end)`
}

/** Returns the condition that an open deal has been in one of these steps for at least so many days. */
export function isInStep(
  sql: ISql,
  steps: Partial<Record<FlowStep, number>>,
  zone: Zone,
  came: Came,
): Fragment {
  const each = flowSteps.flatMap((step) =>
    steps[step] === undefined
      ? []
      : [sql`when ${step} then ${beganBefore(sql, step, steps[step], zone, came)}`],
  )
  return sql`(${isInMovingStage(sql)} and coalesce(case ${stepBySql(sql, zone, came)} ${inRow(sql, each)} end, false))`
}

/** Returns the day of a time in a zone; a date without a time, which is midnight UTC, is the day as such. */
function dayIn(sql: ISql, time: Fragment, zone: Zone): Fragment {
  if (zone === utc) return sql`(${time})::date`
  return sql`(case when date_trunc('day', ${time}) = ${time} then (${time})::date else (${time} at time zone ${zone}::text)::date end)`
}

/** Returns the condition that a step is over, unless that is told by the stage alone, and that its dates are in order. */
const hasDays = (sql: ISql, step: FlowStep, zone: Zone, came: Came): Fragment =>
  sql`coalesce(${beganBefore(sql, step, 0, zone, came)} and ${came(flowFields[step].to)}
    and ${dayIn(sql, timeOf(sql, flowFields[step].to), zone)} >= ${dayIn(sql, beginBySql(sql, step), zone)}, false)`

/** Returns the condition that it is known how many days a deal took for each of these steps. */
export const tookSteps = (sql: ISql, steps: readonly FlowStep[], zone: Zone, came: Came): Fragment =>
  allOf(
    sql,
    steps.map((step) =>
      step === 'payment'
        ? sql`${isInWonStage(sql)} and ${hasDays(sql, step, zone, came)}`
        : hasDays(sql, step, zone, came),
    ),
  )

/** Returns how far a deal has come by its dates and flags, without its stage. */
export function reachByDates(sql: ISql, came: Came): Fragment {
  const flags = { install: 'installCompleted', funding: 'm2Approved' } as const
  const cases = flowSteps.toReversed().flatMap((step) => {
    if (step === 'payment') return []
    const flag = step === 'install' || step === 'funding' ? flagsOf([flags[step]]) : 0
    return [sql`when ${came(flowFields[step].to)} or (flags & ${flag}::integer) <> 0 then ${step}::text`]
  })
  return sql`(case ${inRow(sql, cases)} else 'created' end)`
}

/** Returns how far a deal has come. */
export const reachBySql = (sql: ISql, came: Came): Fragment =>
  sql`(case when ${isInWonStage(sql)} then 'payment' else ${reachByDates(sql, came)} end)`
