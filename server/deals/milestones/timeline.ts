import { type AwaitedStep, type SequentialStep, indexOfStep } from '../../stages/place.ts'
import { isClosed, isLost, isMoving, isWon } from '../../stages/stage.ts'
import { msOf } from '../../values/time.ts'
import { type Zone, dayNumberOf, dayNumberOfValue, isPast } from '../../values/zone.ts'
import type { KnownDeal } from '../deal.ts'
import { type Evidence, type StageMeaning, evidenceOf, needsStep } from './evidence.ts'
import { inspectionOutcome } from './inspection.ts'
import {
  type Milestone,
  type MilestoneName,
  type Part,
  sequentialMilestones,
  milestoneOfStep,
  milestonesOf,
} from './milestone.ts'
import { isServiceTicket } from './service.ts'

/**
 * The state of a step: `done`, even on an unknown day; `running`, begun; `planned` for a future day; `late`,
 * planned for a past day; `next`, what the deal waits for; `toDo`, later; `notRequired`; `unknown`.
 */
export type StepState = 'done' | 'running' | 'planned' | 'late' | 'next' | 'toDo' | 'notRequired' | 'unknown'

interface StepDate {
  /** The event or plan of a step, such as `Requested` or `To be completed`. */
  label: string
  /** ISO 8601. */
  time: string
  /** Whether it is planned rather than past. */
  isPlan: boolean
}

/** A step in the timeline of a deal. */
export interface Step {
  /** `stage`: what remains after all milestones, known only from the stage. */
  name: MilestoneName | 'stage' | 'payment'
  label: string
  state: StepState
  dates: StepDate[]
  /** Duration in days, until now if unfinished; null when unknown. */
  lengthDays: number | null
  /** Days between this step and the previous one; `after` names that one if it is not directly above. */
  gap: { days: number; after: string | null } | null
  /** When it happened or will happen; ISO 8601. */
  plannedFor: string | null
  /** Days until then; negative once the day is over. */
  daysUntil: number | null
  /** Its result, as text from the deal. */
  result: string | null
  /** Whether the deal waits for it first. */
  isAwaited: boolean
}

/** Returns the steps of a deal at `nowMs`, milliseconds since 1970, in order. Days are in `zone`. */
export function timelineOf(deal: KnownDeal, stage: StageMeaning, nowMs: number, zone: Zone): Step[] {
  const now = { ms: nowMs, day: dayNumberOf(new Date(nowMs), zone), zone }
  const evidence = evidenceOf(deal, stage, nowMs)
  const dealSteps = stepsOfDeal(deal, stage, nowMs, evidence)
  const steps = dealSteps.map((placed, index): Step => {
    const { milestone, dates, planMs, status } = placed
    const state = stateOn(placed, now)
    return {
      name: milestone.name as MilestoneName,
      label: milestone.label,
      state,
      dates,
      lengthDays: lengthOf(placed, state, now),
      gap: gapBefore(dealSteps, index, zone),
      plannedFor: planMs === null ? null : new Date(planMs).toISOString(),
      daysUntil: planMs === null ? null : dayNumberOfValue(planMs, zone) - now.day,
      result: resultOf(milestone, deal),
      isAwaited: status === 'next',
    }
  })
  return [...steps, ...stageStep(deal, stage, steps, now), ...paymentStep(deal, stage, evidence)]
}

/**
 * A step and its status, independent of the day: `open`, needed and not done; `repeated`, running again
 * beside its original.
 */
export interface PlacedStep extends Measured {
  status: 'done' | 'open' | 'next' | 'repeated' | 'notRequired' | 'unknown'
}

/** Returns the state of each step of a deal, in process order. */
export function stepsOfDeal(
  deal: KnownDeal,
  stage: StageMeaning,
  nowMs: number,
  evidence: Evidence = evidenceOf(deal, stage, nowMs),
): PlacedStep[] {
  return milestonesOf(deal, evidence.awaited === 'hoa').map((milestone) => {
    const measured = measure(milestone, deal, nowMs)
    const status = stepStatusOf(measured, deal, stage, evidence)
    // Plans of a closed deal are void.
    return { ...measured, status, planMs: isClosed(stage.kind) ? null : measured.planMs }
  })
}

/** Returns the process step that ends a milestone; undefined for a parallel one. */
export const endStepOf = (name: Step['name']) => sequentialMilestones.find((milestone) => milestone === name)

function stepStatusOf(
  { milestone, endMs, isBegun, isDone, planMs }: Measured,
  deal: KnownDeal,
  { kind }: StageMeaning,
  { behind, awaited, candidates }: Evidence,
): PlacedStep['status'] {
  const name = milestone.name as MilestoneName
  if (isDone) return 'done'
  if (awaited !== null && milestoneOfStep(awaited) === name) return 'next'
  const step = endStepOf(name)
  if (step === undefined) {
    if (name === 'reInspection' && isBegun && awaited === 'inspection') return 'repeated'
    return sideStepStatusOf(name, endMs, behind)
  }
  const isNeeded = planMs !== null || needsStep(deal, step)
  if (indexOfStep(step) < behind) {
    if (isNeeded === false) return 'notRequired'
    return isNeeded === null ? 'unknown' : 'done'
  }
  if (isNeeded === false) return 'notRequired'
  // A closed deal expects nothing; without evidence from the stage, a missing step may be done.
  if (candidates.length === 0 || isClosed(kind)) return 'unknown'
  const mayBeOver =
    awaited === null && candidates.some((candidate) => candidate === step || isBefore(step, candidate))
  return mayBeOver || isNeeded === null ? 'unknown' : 'open'
}

/** Returns whether a step comes before one that a deal may wait for, and so may be over. */
const isBefore = (step: SequentialStep, other: AwaitedStep) =>
  other !== 'hoa' && indexOfStep(step) < indexOfStep(other)

/**
 * Returns the status of a parallel step: later dates imply that it is done; nothing implies that it is not.
 */
function sideStepStatusOf(name: MilestoneName, endMs: number | null, behind: number): 'done' | 'unknown' {
  const before: Partial<Record<MilestoneName, SequentialStep>> = {
    hoa: 'install',
    reInstall: 'inspection',
    reInspection: 'inspection',
  }
  const step = before[name]
  return endMs !== null || (step !== undefined && behind > indexOfStep(step)) ? 'done' : 'unknown'
}

/** Returns the state of a step on a day. */
function stateOn({ status, isBegun, planMs, milestone }: PlacedStep, now: Now): StepState {
  if (status === 'unknown' && planMs !== null && dayNumberOfValue(planMs, now.zone) >= now.day)
    return milestone.name === 'install' || milestone.name === 'permit' ? 'unknown' : 'planned'
  if (status === 'repeated') return 'running'
  if (status !== 'open' && status !== 'next') return status
  if (planMs !== null && dayNumberOfValue(planMs, now.zone) < now.day) return 'late'
  if (isBegun) return 'running'
  if (planMs !== null) return 'planned'
  return status === 'next' ? 'next' : 'toDo'
}

/**
 * Returns the step of an open deal that only waits for payment, or is in a stage without a later field:
 * permission to operate and paperwork have none.
 */
function stageStep(deal: KnownDeal, { kind }: StageMeaning, steps: Step[], { day, zone }: Now): Step[] {
  const { stage, timeInCurrentStage } = deal
  if (!isMoving(kind) || !stage || steps.some(({ isAwaited }) => isAwaited)) return []
  return [
    {
      ...undated,
      name: 'stage',
      label: stage,
      state: 'running',
      dates: timeInCurrentStage === null ? [] : [{ label: 'Since', time: timeInCurrentStage, isPlan: false }],
      lengthDays: timeInCurrentStage === null ? null : day - dayNumberOf(timeInCurrentStage, zone),
      isAwaited: true,
    },
  ]
}

const undated = {
  lengthDays: null,
  gap: null,
  plannedFor: null,
  daysUntil: null,
  result: null,
  isAwaited: false,
}

/**
 * Returns the payment, the last step of every deal that is neither lost nor a service ticket. Only a stage shows
 * that a deal is paid, so the day of payment is the day on which the deal reached that stage.
 */
function paymentStep(deal: KnownDeal, { kind }: StageMeaning, { awaited }: Evidence): Step[] {
  if (isLost(kind) || isServiceTicket(deal)) return []
  const { stage, timeInCurrentStage } = deal
  const isPaid = isWon(kind)
  const openState = awaited === 'payment' ? 'next' : 'toDo'
  // Without a stage, the deal may be paid.
  const stateNow = stage ? openState : 'unknown'
  const dates =
    isPaid && timeInCurrentStage !== null ? [{ label: 'Paid', time: timeInCurrentStage, isPlan: false }] : []
  return [{ ...undated, name: 'payment', label: 'Payment', state: isPaid ? 'done' : stateNow, dates }]
}

/** Returns whether a deal may wait for a step in this state. */
export const isOpen = (state: StepState) =>
  state === 'running' || state === 'planned' || state === 'late' || state === 'next'

/** Returns the steps that a deal waits for: the next one, and parallel ones that are running or late. */
export const awaitedSteps = (timeline: Step[]): Step[] => [
  ...timeline.filter(({ isAwaited }) => isAwaited),
  ...timeline.filter(({ isAwaited, state }) => !isAwaited && (state === 'running' || state === 'late')),
]

/** Counts the common steps that are done, needed and unknown. */
export function countSteps(timeline: Step[]): { done: number; needed: number; unknown: number } {
  const steps = timeline.filter(({ name }) => name === 'payment' || endStepOf(name) !== undefined)
  const countOf = (is: (state: StepState) => boolean) => steps.filter(({ state }) => is(state)).length
  return {
    done: countOf((state) => state === 'done'),
    needed: countOf((state) => state !== 'notRequired'),
    unknown: countOf((state) => state === 'unknown'),
  }
}

/** The current moment and its day in the zone. */
interface Now {
  ms: number
  day: number
  zone: Zone
}

interface Measured {
  milestone: Milestone
  dates: StepDate[]
  /** Start of the step, in milliseconds since 1970. */
  beginMs: number | null
  isBegun: boolean
  planMs: number | null
  endMs: number | null
  /** Whether a date, flag or result shows that it is done. */
  isDone: boolean
}

function measure(milestone: Milestone, deal: KnownDeal, nowMs: number): Measured {
  const dates = milestone.dates.flatMap(({ field, part, label }) => {
    const time = deal[field]
    if (time === null) return []
    const ms = msOf(time)
    // A future date is a plan.
    const isToCome = part !== 'plan' && !isPast(ms, nowMs)
    const shownLabel = isToCome ? `To be ${label.toLowerCase()}` : label
    return [{ part, label: shownLabel, time, ms, isPlan: part === 'plan' || isToCome }]
  })
  const happened = (part: Part) => dates.find((date) => date.part === part && !date.isPlan)?.ms ?? null
  const [beginMs, endMs] = [happened('begin'), happened('end')]
  const planMs = dates.findLast(({ isPlan }) => isPlan)?.ms ?? null
  // Work begins on the day of an appointment that was kept.
  const isAppointment = milestone.dates.every(({ part }) => part !== 'begin')
  const keptMs = isAppointment && planMs !== null && endMs !== null && planMs <= endMs ? planMs : null
  return {
    milestone,
    dates: dates.map(({ label, time, isPlan }) => ({ label, time, isPlan })),
    // A step with only an end on record begins then.
    beginMs: beginMs ?? keptMs ?? (milestone.dates.every(({ part }) => part === 'end') ? endMs : null),
    isBegun: beginMs !== null,
    planMs,
    endMs,
    isDone: isDoneBy(milestone, deal) || endMs !== null,
  }
}

/** Returns the deal's own result of a step, or null. */
const resultOf = ({ resultField }: Milestone, deal: KnownDeal) =>
  (resultField !== undefined && deal[resultField]) || null

/**
 * Returns whether the deal shows without a date that the step is done. Every stored deal has been created.
 */
const isDoneBy = (milestone: Milestone, deal: KnownDeal) =>
  milestone.name === 'created' ||
  (milestone.doneFlag !== undefined && deal[milestone.doneFlag] === true) ||
  (milestone.resultField !== undefined &&
    inspectionOutcome(deal) === 'passed' &&
    resultOf(milestone, deal) !== null)

/** Returns a step's duration in days so far; null if unknown. */
function lengthOf({ beginMs, endMs }: Measured, state: StepState, { day, zone }: Now): number | null {
  if (beginMs === null) return null
  if (endMs !== null)
    return endMs > beginMs ? dayNumberOfValue(endMs, zone) - dayNumberOfValue(beginMs, zone) : null
  return state === 'running' || state === 'late' ? day - dayNumberOfValue(beginMs, zone) : null
}

/** Returns the days since the end of the latest step that was over when this one began. */
function gapBefore(dealSteps: Measured[], index: number, zone: Zone): Step['gap'] {
  const { beginMs } = dealSteps[index]!
  if (beginMs === null) return null
  const before = dealSteps
    .slice(0, index)
    .map(({ milestone, endMs, ...step }, at) => ({
      ms: endMs ?? (hasEnd(milestone) ? null : step.beginMs),
      at,
    }))
    .filter((step): step is { ms: number; at: number } => step.ms !== null && step.ms <= beginMs)
  const last = before.toSorted((a, b) => a.ms - b.ms).at(-1)
  return last === undefined
    ? null
    : {
        days: dayNumberOfValue(beginMs, zone) - dayNumberOfValue(last.ms, zone),
        after: last.at === index - 1 ? null : dealSteps[last.at]!.milestone.label,
      }
}

const hasEnd = ({ dates }: Milestone) => dates.some(({ part }) => part === 'end')
