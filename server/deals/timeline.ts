import { type AwaitedStep, type SequentialStep, indexOfStep } from '../stages/place.ts'
import { isClosed, isLost, isMoving, isWon } from '../stages/stage.ts'
import { msOf } from '../values/time.ts'
import { type Zone, dayNumberOf, dayNumberOfValue, isPast } from '../values/zone.ts'
import type { KnownDeal } from './deal.ts'
import { type Evidence, type StageMeaning, evidenceOf, needsStep, isServiceTicket } from './evidence.ts'
import {
  inspectionOutcome,
  type Milestone,
  type MilestoneName,
  type Part,
  sequentialMilestones,
  milestoneOfStep,
  milestonesOf,
} from './milestone.ts'

/**
 * The state of a step: `done` (possibly on an unknown day), `running` (begun), `planned` (for a future day),
 * `late` (planned for a day that has passed), `next` (the deal waits for this step), `toDo` (comes later),
 * `notRequired` or `unknown`.
 */
export type StepState = 'done' | 'running' | 'planned' | 'late' | 'next' | 'toDo' | 'notRequired' | 'unknown'

interface StepDate {
  /** The name of the event or plan, such as `Requested` or `To be completed`. */
  label: string
  time: string
  isPlan: boolean
}

/** A step in the timeline of a deal. */
export interface Step {
  /** The name `stage` stands for what remains after all milestones, which is known only from the stage. */
  name: MilestoneName | 'stage' | 'payment'
  label: string
  state: StepState
  dates: StepDate[]
  /** Duration in days, up to now if the step is not finished; null if unknown. */
  lengthDays: number | null
  /**
   * Days between the previous step and this one. `after` names the previous step if that is not the row
   * directly above.
   */
  gap: { days: number; after: string | null } | null
  /** When the step happened or is planned, ISO 8601; null if unknown. */
  plannedFor: string | null
  /** Days until the planned date; negative if that day has passed. */
  daysUntil: number | null
  result: string | null
  isAwaited: boolean
}

/**
 * Returns the steps of a deal in order, at `nowMs` (milliseconds since 1970). Days are calendar days in
 * `zone`.
 */
export function timelineOf(
  deal: KnownDeal,
  stage: StageMeaning,
  nowMs: number,
  zone: Zone,
  evidence: Evidence = evidenceOf(deal, stage, nowMs),
): Step[] {
  const now = { ms: nowMs, day: dayNumberOf(new Date(nowMs), zone), zone }
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
 * A step with its status, which does not depend on the current day. `open` means required and not completed;
 * `repeated` means that the step is in progress again.
 */
export interface PlacedStep extends Measured {
  status: 'done' | 'open' | 'next' | 'repeated' | 'notRequired' | 'unknown'
}

/** Returns the steps of a deal with their status, in process order. */
export function stepsOfDeal(
  deal: KnownDeal,
  stage: StageMeaning,
  nowMs: number,
  evidence: Evidence = evidenceOf(deal, stage, nowMs),
): PlacedStep[] {
  return milestonesOf(deal, evidence.awaited === 'hoa').map((milestone) => {
    const measured = measure(milestone, deal, nowMs)
    const status = stepStatusOf(measured, deal, stage, evidence)
    // A closed deal no longer has plans.
    return { ...measured, status, planMs: isClosed(stage.kind) ? null : measured.planMs }
  })
}

/** Returns the sequential milestone with this name, or undefined for a parallel one. */
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
  // A closed deal waits for nothing. If the next step is unknown, steps without a date may already be
  // completed.
  if (candidates.length === 0 || isClosed(kind)) return 'unknown'
  const mayBeOver =
    awaited === null && candidates.some((candidate) => candidate === step || isBefore(step, candidate))
  return mayBeOver || isNeeded === null ? 'unknown' : 'open'
}

/**
 * Returns true if a step comes before another step that the deal may be waiting for, and may therefore be
 * completed.
 */
const isBefore = (step: SequentialStep, other: AwaitedStep) =>
  other !== 'hoa' && indexOfStep(step) < indexOfStep(other)

/**
 * Returns the status of a parallel step. Later dates imply that the step is done, but nothing implies that it
 * is not.
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
 * Returns a step for an open deal that waits for nothing but payment, or whose stage has no corresponding
 * field, such as permission to operate or paperwork.
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
 * Returns the payment step, which every deal has unless it is lost or a service ticket. Only the stage shows
 * that a deal is paid, so the day of payment is the day on which the deal entered that stage.
 */
function paymentStep(deal: KnownDeal, { kind }: StageMeaning, { awaited }: Evidence): Step[] {
  if (isLost(kind) || isServiceTicket(deal)) return []
  const { stage, timeInCurrentStage } = deal
  const isPaid = isWon(kind)
  const openState = awaited === 'payment' ? 'next' : 'toDo'
  // If the deal has no stage, it may already be paid.
  const stateNow = stage ? openState : 'unknown'
  const dates =
    isPaid && timeInCurrentStage !== null ? [{ label: 'Paid', time: timeInCurrentStage, isPlan: false }] : []
  return [{ ...undated, name: 'payment', label: 'Payment', state: isPaid ? 'done' : stateNow, dates }]
}

/** Returns true if a deal may be waiting for a step in this state. */
export const isOpen = (state: StepState) =>
  state === 'running' || state === 'planned' || state === 'late' || state === 'next'

/** Returns the steps that a deal waits for: the next step, and parallel steps that are running or late. */
export const awaitedSteps = (timeline: Step[]): Step[] => [
  ...timeline.filter(({ isAwaited }) => isAwaited),
  ...timeline.filter(({ isAwaited, state }) => !isAwaited && (state === 'running' || state === 'late')),
]

/** Counts how many of the steps that all deals share are done, required and unknown. */
export function countSteps(timeline: Step[]): { done: number; needed: number; unknown: number } {
  const steps = timeline.filter(({ name }) => name === 'payment' || endStepOf(name) !== undefined)
  const countOf = (is: (state: StepState) => boolean) => steps.filter(({ state }) => is(state)).length
  return {
    done: countOf((state) => state === 'done'),
    needed: countOf((state) => state !== 'notRequired'),
    unknown: countOf((state) => state === 'unknown'),
  }
}

interface Now {
  ms: number
  day: number
  zone: Zone
}

interface Measured {
  milestone: Milestone
  dates: StepDate[]
  beginMs: number | null
  isBegun: boolean
  planMs: number | null
  endMs: number | null
  /** True if a date, flag or result shows that the step is done. */
  isDone: boolean
}

function measure(milestone: Milestone, deal: KnownDeal, nowMs: number): Measured {
  const dates = milestone.dates.flatMap(({ field, part, label }) => {
    const time = deal[field]
    if (time === null) return []
    const ms = msOf(time)
    // A date in the future counts as a plan.
    const isToCome = part !== 'plan' && !isPast(ms, nowMs)
    const shownLabel = isToCome ? `To be ${label.toLowerCase()}` : label
    return [{ part, label: shownLabel, time, ms, isPlan: part === 'plan' || isToCome }]
  })
  const happened = (part: Part) => dates.find((date) => date.part === part && !date.isPlan)?.ms ?? null
  const [beginMs, endMs] = [happened('begin'), happened('end')]
  const planMs = dates.findLast(({ isPlan }) => isPlan)?.ms ?? null
  // If an appointment took place, the work began on that day.
  const isAppointment = milestone.dates.every(({ part }) => part !== 'begin')
  const keptMs = isAppointment && planMs !== null && endMs !== null && planMs <= endMs ? planMs : null
  return {
    milestone,
    dates: dates.map(({ label, time, isPlan }) => ({ label, time, isPlan })),
    // If a step records only its end, it also began at that time.
    beginMs: beginMs ?? keptMs ?? (milestone.dates.every(({ part }) => part === 'end') ? endMs : null),
    isBegun: beginMs !== null,
    planMs,
    endMs,
    isDone: isDoneBy(milestone, deal) || endMs !== null,
  }
}

const resultOf = ({ resultField }: Milestone, deal: KnownDeal) =>
  (resultField !== undefined && deal[resultField]) || null

/** Returns true if the deal shows that the step is done even without a date. Creation is always done. */
const isDoneBy = (milestone: Milestone, deal: KnownDeal) =>
  milestone.name === 'created' ||
  (milestone.doneFlag !== undefined && deal[milestone.doneFlag] === true) ||
  (milestone.resultField !== undefined &&
    inspectionOutcome(deal) === 'passed' &&
    resultOf(milestone, deal) !== null)

/** Returns how many days a step has taken so far, or null if unknown. */
function lengthOf({ beginMs, endMs }: Measured, state: StepState, { day, zone }: Now): number | null {
  if (beginMs === null) return null
  if (endMs !== null)
    return endMs > beginMs ? dayNumberOfValue(endMs, zone) - dayNumberOfValue(beginMs, zone) : null
  return state === 'running' || state === 'late' ? day - dayNumberOfValue(beginMs, zone) : null
}

/**
 * Returns the number of days between the end of the latest step that was completed before this step began,
 * and that begin.
 */
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
