import type { Fragment, ISql } from 'postgres'
import { anyOf } from '#db/fragments.ts'
import type { StepNow } from '../deals/milestones/flow.ts'
import type { MilestoneName } from '../deals/milestones/milestone.ts'
import { stepsOf } from '../deals/milestones/status.ts'
import { type StageKind, isClosed, isMoving } from '../stages/stage.ts'
import { stagesThat } from '../stages/store.ts'
import { type Zone, addDays, dayOf } from '../values/zone.ts'
import { type DayRange, columnIsOnDays } from './step-store.ts'

// SQL conditions on the stored status of deals (`milestones/status.ts`).

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
  const each = (Object.entries(steps) as [StepNow, number][]).map(([step, days]) => {
    if (step === 'unknown') return sql`flow_step is null`
    return days === 0
      ? sql`flow_step = ${step}`
      : sql`(flow_step = ${step} and ${isSince(sql, days, zone, today)})`
  })
  return sql`(${isInMovingStage(sql)} and coalesce(${anyOf(sql, each)}, false))`
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
