import type { Deal } from '#server/deals/deal.ts'
import { type CourseStep, type Part, type StepName, courseOf } from './course.ts'

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
  name: StepName
  label: string
  state: StepState
  dates: StepDate[]
  /** For how many days it went on, until now when it is not finished; null when that is not known. */
  lengthDays: number | null
  /** How many days it began after what went before it; `after` names that when it is not the step right above. */
  gap: { days: number; after: string | null } | null
  /** When it is or was to happen; ISO 8601. */
  plannedFor: string | null
  /** What came of it, in the words of the deal. */
  result: string | null
}

/** Whether a stage says that a deal is given up, or that it rests. Stages are free text, so that only words can be gone by. */
export function restOf(stage: string | null): 'closed' | 'held' | null {
  if (/\bcancell?ed\b|\blost\b|\bdead\b|\bwithdrawn\b|\bdisqualified\b/i.test(stage ?? '')) return 'closed'
  return /\bhold\b|\bpaused?\b/i.test(stage ?? '') ? 'held' : null
}

/**
 * The course of a deal at `nowMs`, milliseconds since 1970: its steps in the order of the trade, whatever is known of them.
 * Days are those of the calendar in UTC, in which dates without a time are midnight.
 */
export function timelineOf(deal: Deal, nowMs: number): Step[] {
  const course = courseOf(deal).map((step) => measure(step, deal, nowMs))
  const isClosed = restOf(deal.stage) === 'closed'
  let isOpenFound = false
  return course.map((measured, index) => {
    const { step, dates, beginMs, endMs, planMs } = measured
    let state = stateOf(measured, course.slice(index + 1), deal, nowMs)
    if (isClosed) state = isOpen(state) ? 'ahead' : state
    else if (state === 'ahead' && !isOpenFound) state = 'next'
    // What is decided beside the rest keeps nothing from being next.
    if (isOpen(state) && step.name !== 'hoa') isOpenFound = true
    const untilMs = endMs ?? (state === 'running' || state === 'late' ? nowMs : null)
    return {
      name: step.name as StepName,
      label: step.label,
      state,
      dates,
      lengthDays:
        beginMs !== null && untilMs !== null && untilMs > beginMs ? daysBetween(beginMs, untilMs) : null,
      gap: gapBefore(course, index),
      plannedFor: planMs === null ? null : new Date(planMs).toISOString(),
      result: step.result?.(deal) || null,
    }
  })
}

/** Whether a deal may wait for a step in this state. */
export const isOpen = (state: StepState) =>
  state === 'running' || state === 'planned' || state === 'late' || state === 'next'

interface Measured {
  step: CourseStep
  dates: StepDate[]
  /** Since when something goes on or went on; milliseconds since 1970, as the others. */
  beginMs: number | null
  isBegun: boolean
  planMs: number | null
  endMs: number | null
  isDone: boolean
}

function measure(step: CourseStep, deal: Deal, nowMs: number): Measured {
  const dates = step.dates.flatMap(({ field, part, label }) => {
    const time = deal[field]
    if (time === null) return []
    // What is dated in the future has not happened: it is a plan.
    const isAhead = part !== 'plan' && Date.parse(time) > nowMs
    return [
      {
        part,
        label: isAhead ? `To be ${label.toLowerCase()}` : label,
        time,
        ms: Date.parse(time),
        isPlan: part === 'plan' || isAhead,
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
  const isAppointment = step.dates.every(({ part }) => part !== 'begin')
  const keptMs = isAppointment && planMs !== null && endMs !== null && planMs <= endMs ? planMs : null
  return {
    step,
    dates: dates.map(({ label, time, isPlan }) => ({ label, time, isPlan })),
    beginMs: beginMs ?? keptMs ?? endMs,
    isBegun: beginMs !== null,
    planMs,
    endMs,
    isDone: endMs !== null || (step.isDone?.(deal) ?? false),
  }
}

function stateOf(
  { step, isBegun, isDone, planMs }: Measured,
  after: Measured[],
  deal: Deal,
  nowMs: number,
): StepState {
  if (isDone) return 'done'
  if (!isBegun && step.isNeedless?.(deal)) return 'needless'
  // An HOA decides beside the rest: nothing follows from it, and it follows from the install alone that it has.
  const followers = after.filter(
    ({ step: { name } }) => name !== 'hoa' && !(step.name === 'hoa' && name === 'permit'),
  )
  const hasNoEnd = step.dates.every(({ part }) => part !== 'end')
  if (
    followers.some(
      (other) => other.endMs !== null || other.isDone || (other.isBegun && (hasNoEnd || !isBegun)),
    )
  ) {
    return hasNoEnd && (isBegun || (planMs !== null && planMs <= nowMs)) ? 'done' : 'passed'
  }
  if (planMs !== null && dayOf(planMs) < dayOf(nowMs)) return 'late'
  return isBegun ? 'running' : planMs === null ? 'ahead' : 'planned'
}

/** From the last thing that had happened when the step began. */
function gapBefore(course: Measured[], index: number): Step['gap'] {
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
        days: daysBetween(last.ms, beginMs),
        after: last.at === index - 1 ? null : course[last.at]!.step.label,
      }
}

const dayOf = (ms: number) => Math.floor(ms / 86_400_000)
const daysBetween = (fromMs: number, toMs: number) => dayOf(toMs) - dayOf(fromMs)
