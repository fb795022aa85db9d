import { type AwaitedStep, indexOfStep } from '../stages/place.ts'
import { type StageKind, isMoving, isWon } from '../stages/stage.ts'
import { msOf } from '../values/time.ts'
import { type Zone, dayNumberOf, isPast, isAhead } from '../values/zone.ts'
import type { KnownDeal, TimeField } from './deal.ts'
import { type Evidence, needsStep, progressOf } from './evidence.ts'

/**
 * The steps whose duration is measured, in order from creation to payment. An open deal is in at most one
 * step. Inspection and M2 have no end date, so they are measured as part of the next step.
 */
export const flowSteps = [
  'survey',
  'cad',
  'engineering',
  'ntp',
  'permitSubmission',
  'permit',
  'install',
  'funding',
  'payment',
] as const
export type FlowStep = (typeof flowSteps)[number]

/** The current step of an open deal; `unknown` if the deal's stage and dates do not determine a step. */
export const stepsNow = [...flowSteps, 'unknown'] as const
export type StepNow = (typeof stepsNow)[number]

/** The last completed step of a deal, or its creation. */
export const lastSteps = ['created', ...flowSteps] as const
export type LastStep = (typeof lastSteps)[number]

/** The last completed step, or `unknown` if neither the deal's stage nor its dates determine a step. */
export type LastStepNow = LastStep | 'unknown'

/** The dates on which a step begins and ends. The payment step ends when the deal reaches a won stage. */
export interface StepDates {
  from: TimeField
  to: TimeField
  /** The start date for deals that need no permit, if different. */
  fromWithoutPermit?: TimeField
}

export const flowFields: Readonly<Record<FlowStep, StepDates>> = {
  survey: { from: 'createDate', to: 'siteSurveyCompleted' },
  cad: { from: 'siteSurveyCompleted', to: 'cadCompleted' },
  engineering: { from: 'cadCompleted', to: 'engineeringCompleted' },
  ntp: { from: 'engineeringCompleted', to: 'ntpApproved' },
  permitSubmission: { from: 'ntpApproved', to: 'permitSubmitted' },
  permit: { from: 'permitSubmitted', to: 'permitReceived' },
  install: { from: 'permitReceived', to: 'installComplete', fromWithoutPermit: 'ntpApproved' },
  funding: { from: 'installComplete', to: 'fundingSubmitted' },
  payment: { from: 'fundingSubmitted', to: 'timeInCurrentStage' },
}

function beginOf(deal: KnownDeal, step: FlowStep): string | null {
  const { from, fromWithoutPermit } = flowFields[step]
  const begin = deal[from]
  if (begin !== null || fromWithoutPermit === undefined) return begin
  const needsNoPermit = deal.permitRequired === false && deal.permitSubmitted === null
  return needsNoPermit ? deal[fromWithoutPermit] : null
}

/**
 * Returns how many calendar days a completed step took. Returns null if the step is not completed, or if
 * dates are missing or out of order.
 */
export function daysTaken(
  deal: KnownDeal,
  stageKind: StageKind,
  step: FlowStep,
  nowMs: number,
  zone: Zone,
): number | null {
  const [begin, end] = [beginOf(deal, step), deal[flowFields[step].to]]
  if (begin === null || end === null || isAhead(begin, nowMs, zone) || isAhead(end, nowMs, zone)) return null
  if (step === 'payment' && !isWon(stageKind)) return null
  const days = dayNumberOf(end, zone) - dayNumberOf(begin, zone)
  return days < 0 ? null : days
}

/** The current step of an open deal, and when the step began (ISO 8601; null if not recorded). */
export interface CurrentStep {
  step: FlowStep
  since: string | null
}

/**
 * Returns the current step of a deal, or null if the deal is closed or on hold, or if the step is unknown.
 */
export function currentStepOf(deal: KnownDeal, { candidates }: Evidence, nowMs: number): CurrentStep | null {
  const steps = new Set(candidates.map(flowStepOf))
  const [step] = steps
  if (steps.size !== 1 || step === undefined || step === null) return null
  const begin = beginOf(deal, step)
  return { step, since: begin !== null && isPast(msOf(begin), nowMs) ? begin : null }
}

function flowStepOf(step: AwaitedStep): FlowStep | null {
  if (step === 'hoa') return null
  if (step === 'inspection') return 'funding'
  return step === 'm2' ? 'payment' : step
}

/**
 * The current step of an open deal, when the step began (ISO 8601), and for how many calendar days it has
 * lasted.
 */
export interface OngoingStep {
  step: FlowStep
  since: string
  days: number
}

/** Returns the current step of an open deal, or null if the step or its start is unknown. */
export function stepNow(
  deal: KnownDeal,
  stageKind: StageKind,
  evidence: Evidence,
  nowMs: number,
  zone: Zone,
): OngoingStep | null {
  const current = isMoving(stageKind) ? currentStepOf(deal, evidence, nowMs) : null
  if (current === null || current.since === null) return null
  const { step, since } = current
  return { step, since, days: dayNumberOf(new Date(nowMs), zone) - dayNumberOf(since, zone) }
}

/**
 * Returns the last completed step of a deal according to its stage. If the stage does not tell, dates decide,
 * unless there are no dates or an earlier date is missing.
 */
export function lastStepOf(deal: KnownDeal, kind: StageKind, evidence: Evidence, nowMs: number): LastStepNow {
  const { behind, candidates } = evidence
  const reached = flowSteps.filter((step) => indexOfStep(step) < behind)
  const isDated = (step: FlowStep) => deal[flowFields[step].to] !== null || needsStep(deal, step) === false
  const isKnown =
    isWon(kind) || candidates.length > 0 || (progressOf(deal, nowMs) > 0 && reached.every(isDated))
  return isKnown ? (reached.at(-1) ?? 'created') : 'unknown'
}
