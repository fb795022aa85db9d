import { type Zone, dayNumberOf, dayNumberOfValue, isValueAhead } from '../../protocol/zone.ts'
import { type StageKind, isClosed, isMoving } from '../../stages/stage.ts'
import type { Deal } from '../deal.ts'
import { type Milestone, type MilestoneName, type Part, milestonesOf } from './milestone.ts'

/**
 * Where a step stands: `done`; `running`, begun and not finished; `planned` for a day to come; `late`, planned for a day that
 * is over; `next`, to be begun; `ahead`, after that; `passed`, gone by without a record; `needless`, not asked for here.
 */
export type StepState = 'done' | 'running' | 'planned' | 'late' | 'next' | 'ahead' | 'passed' | 'needless'

interface StepDate {
  /** What was then, or is to be: `Requested`, `To be completed`. */
  label: string
  /** ISO 8601. */
  time: string
  /** Whether that is planned, and not what happened. */
  isPlan: boolean
}

/** A step in the course of a deal. */
export interface Step {
  /** `stage`: what is left after all milestones, told by the deal's stage alone. */
  name: MilestoneName | 'stage'
  label: string
  state: StepState
  dates: StepDate[]
  /** For how many days it went on, until now when it is not finished; null when that is not known. */
  lengthDays: number | null
  /**
   * How many days it began after what went before it; `after` names that when it is not the step right above.
   */
  gap: { days: number; after: string | null } | null
  /** When it is or was to happen; ISO 8601. */
  plannedFor: string | null
  /** In how many days that is; negative when the day is over. */
  daysUntil: number | null
  /** What came of it, in the words of the deal. */
  result: string | null
}

/**
 * Returns the steps of a deal in a stage of this kind at `nowMs`, milliseconds since 1970, in the order of the trade.
 * Days are those of the calendar in `zone`.
 */
export function timelineOf(deal: Deal, stageKind: StageKind, nowMs: number, zone: Zone): Step[] {
  const now = makeNow(nowMs, zone)
  const course = courseOf(deal, stageKind, now)
  const steps = course.map((standing, index): Step => {
    const { milestone, dates, state } = standing
    return {
      name: milestone.name as MilestoneName,
      label: milestone.label,
      state,
      dates,
      lengthDays: lengthOf(standing, state, now),
      gap: gapBefore(course, index, zone),
      ...planOf(standing, now),
      result: resultOf(milestone, deal),
    }
  })
  return [...steps, ...stageStep(deal, stageKind, steps, now)]
}

/** A step that is planned, and may be waited for. */
export type PlannedStep = Pick<Step, 'state' | 'label' | 'daysUntil'> & {
  name: MilestoneName
  plannedFor: string
}

/** Returns the steps of the timeline that are open and planned, without what lists do not tell. */
export function plannedSteps(deal: Deal, stageKind: StageKind, nowMs: number, zone: Zone): PlannedStep[] {
  const now = makeNow(nowMs, zone)
  return courseOf(deal, stageKind, now).flatMap((standing) => {
    const { milestone, state } = standing
    const { plannedFor, daysUntil } = planOf(standing, now)
    if (!isOpen(state) || plannedFor === null) return []
    return [{ name: milestone.name as MilestoneName, label: milestone.label, state, plannedFor, daysUntil }]
  })
}

/** A step of a deal, and where it stands. */
type Standing = Measured & { state: StepState }

/** Returns where each step of a deal stands, in the order of the trade. */
function courseOf(deal: Deal, stageKind: StageKind, now: Now): Standing[] {
  const course = milestonesOf(deal).map((milestone) => measure(milestone, deal, now))
  let isOpenFound = false
  return course.map((measured, index) => {
    let state = stateOf(measured, course.slice(index + 1), deal, now)
    if (isClosed(stageKind)) state = isOpen(state) ? 'ahead' : state
    else if (state === 'ahead' && !isOpenFound) state = 'next'
    // What is decided beside the rest keeps nothing from being next.
    if (isOpen(state) && !measured.milestone.isAside) isOpenFound = true
    return { ...measured, state }
  })
}

const planOf = ({ planMs }: Measured, { day, zone }: Now): Pick<Step, 'plannedFor' | 'daysUntil'> => ({
  plannedFor: planMs === null ? null : timeOf(planMs),
  daysUntil: planMs === null ? null : dayNumberOfValue(planMs, zone) - day,
})

/**
 * Returns the step of an open deal that has all milestones behind it: permission to operate and paperwork have no
 * field of their own, so the stage is what is left.
 */
function stageStep(
  { stage, timeInCurrentStage }: Deal,
  kind: StageKind,
  steps: Step[],
  { day, zone }: Now,
): Step[] {
  if (!isMoving(kind) || !stage || steps.some(({ state }) => isOpen(state))) return []
  return [
    {
      name: 'stage',
      label: stage,
      state: 'running',
      dates: timeInCurrentStage === null ? [] : [{ label: 'Since', time: timeInCurrentStage, isPlan: false }],
      lengthDays: timeInCurrentStage === null ? null : day - dayNumberOf(timeInCurrentStage, zone),
      gap: null,
      plannedFor: null,
      daysUntil: null,
      result: null,
    },
  ]
}

/** Whether a deal may wait for a step in this state. */
export const isOpen = (state: StepState) =>
  state === 'running' || state === 'planned' || state === 'late' || state === 'next'

/** Returns the state of a step; undefined when the timeline does not have it. */
export const stepState = (timeline: Step[], name: Step['name']): StepState | undefined =>
  timeline.find((step) => step.name === name)?.state

/** Returns whether a step of the timeline is still to be taken or finished. */
export function isToDo(timeline: Step[], name: Step['name']): boolean {
  const state = stepState(timeline, name)
  return state !== undefined && (isOpen(state) || state === 'ahead')
}

/**
 * Returns the steps that a deal waits for: the first that is not done, and whatever is under way or late
 * beside it.
 */
export function awaitedSteps(timeline: Step[]): Step[] {
  const [first, ...others] = timeline.filter(({ state }) => isOpen(state))
  return first === undefined
    ? []
    : [first, ...others.filter(({ state }) => state === 'running' || state === 'late')]
}

/** Returns how many of the steps that a deal needs are behind it, and how many it needs. */
export function countSteps(timeline: Step[]): { done: number; needed: number } {
  const needed = timeline.filter(({ state }) => state !== 'needless')
  return {
    done: needed.filter(({ state }) => state === 'done' || state === 'passed').length,
    needed: needed.length,
  }
}

/** The moment as of which steps are told, and its day in the zone. */
interface Now {
  ms: number
  day: number
  zone: Zone
}

const makeNow = (ms: number, zone: Zone): Now => ({ ms, day: dayNumberOf(new Date(ms), zone), zone })

interface Measured {
  milestone: Milestone
  dates: StepDate[]
  /** Since when something goes on or went on; milliseconds since 1970, as the others. */
  beginMs: number | null
  isBegun: boolean
  planMs: number | null
  endMs: number | null
  isDone: boolean
}

function measure(milestone: Milestone, deal: Deal, now: Now): Measured {
  const dates = milestone.dates.flatMap(({ field, part, label }) => {
    const time = deal[field]
    if (time === null) return []
    const ms = Date.parse(time)
    // What is dated in the future has not happened: it is a plan.
    const isToCome = part !== 'plan' && isValueAhead(ms, now.ms, now.zone)
    return [
      {
        part,
        label: isToCome ? `To be ${label.toLowerCase()}` : label,
        time,
        ms,
        isPlan: part === 'plan' || isToCome,
      },
    ]
  })
  const happened = (part: Part) => dates.find((date) => date.part === part && !date.isPlan)?.ms ?? null
  const [beginMs, endMs, planMs] = [
    happened('begin'),
    happened('end'),
    dates.findLast(({ isPlan }) => isPlan)?.ms ?? null,
  ]
  // An appointment that was kept is when the work began.
  const isAppointment = milestone.dates.every(({ part }) => part !== 'begin')
  const keptMs = isAppointment && planMs !== null && endMs !== null && planMs <= endMs ? planMs : null
  return {
    milestone,
    dates: dates.map(({ label, time, isPlan }) => ({ label, time, isPlan })),
    beginMs: beginMs ?? keptMs ?? endMs,
    isBegun: beginMs !== null,
    planMs,
    endMs,
    isDone: isDoneBy(milestone, deal) || endMs !== null,
  }
}

/** Returns how the step went, in the words of the deal; null when the deal does not say. */
const resultOf = ({ resultField }: Milestone, deal: Deal) =>
  (resultField !== undefined && deal[resultField]) || null

/** Returns whether the deal says without a date that the step is done. A deal that is here was created. */
const isDoneBy = (milestone: Milestone, deal: Deal) =>
  milestone.name === 'created' ||
  (milestone.doneFlag !== undefined && deal[milestone.doneFlag]) ||
  resultOf(milestone, deal) !== null

function stateOf(
  { milestone, isBegun, isDone, planMs }: Measured,
  after: Measured[],
  deal: Deal,
  now: Now,
): StepState {
  if (isDone) return 'done'
  const { requiredFlag } = milestone
  if (!isBegun && requiredFlag !== undefined && !deal[requiredFlag]) return 'needless'
  // An HOA decides beside the rest: nothing follows from it, and it follows from the install alone that it
  // has.
  const followers = after.filter(
    (other) => !other.milestone.isAside && !(milestone.isAside && other.milestone.name === 'permit'),
  )
  const hasNoEnd = milestone.dates.every(({ part }) => part !== 'end')
  if (
    followers.some(
      (other) => other.endMs !== null || other.isDone || (other.isBegun && (hasNoEnd || !isBegun)),
    )
  ) {
    return hasNoEnd && (isBegun || (planMs !== null && !isValueAhead(planMs, now.ms, now.zone)))
      ? 'done'
      : 'passed'
  }
  if (planMs !== null && dayNumberOfValue(planMs, now.zone) < now.day) return 'late'
  if (isBegun) return 'running'
  return planMs === null ? 'ahead' : 'planned'
}

/** Returns for how many days a step went on, or goes on; null when that is not known. */
function lengthOf({ beginMs, endMs }: Measured, state: StepState, { day, zone }: Now): number | null {
  if (beginMs === null) return null
  if (endMs !== null)
    return endMs > beginMs ? dayNumberOfValue(endMs, zone) - dayNumberOfValue(beginMs, zone) : null
  return state === 'running' || state === 'late' ? day - dayNumberOfValue(beginMs, zone) : null
}

/** From the last thing that had happened when the step began. */
function gapBefore(course: Measured[], index: number, zone: Zone): Step['gap'] {
  const { beginMs } = course[index]!
  if (beginMs === null) return null
  const before = course
    .slice(0, index)
    .flatMap((each, at) =>
      [each.beginMs, each.endMs].flatMap((ms) => (ms === null || ms > beginMs ? [] : [{ ms, at }])),
    )
  const last = before.toSorted((a, b) => a.ms - b.ms).at(-1)
  return last === undefined
    ? null
    : {
        days: dayNumberOfValue(beginMs, zone) - dayNumberOfValue(last.ms, zone),
        after: last.at === index - 1 ? null : course[last.at]!.milestone.label,
      }
}

const timeOf = (ms: number) => new Date(ms).toISOString()
