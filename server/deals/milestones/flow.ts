import { type Zone, dayNumberOf, isPast, isAhead } from '../../protocol/zone.ts'
import { type AwaitedStep, indexOfStep } from '../../stages/place.ts'
import { type StageKind, isMoving, isWon } from '../../stages/stage.ts'
import type { KnownDeal, TimeField } from '../deal.ts'
import { type Evidence, needsStep, progressOf } from './evidence.ts'

/**
 * The measured steps of a deal, from creation to payment, in order. An open deal is in one at most.
 * Inspection and M2 have no end date and are measured with the next step.
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

/** The step that an open deal is in; `unknown` when its stage and dates do not say which. */
export const stepsNow = [...flowSteps, 'unknown'] as const
export type StepNow = (typeof stepsNow)[number]

/** The last completed step of a deal, or its creation. */
export const lastSteps = ['created', ...flowSteps] as const
export type LastStep = (typeof lastSteps)[number]

/** How far a deal has come; `unknown` when neither its stage nor its dates say. */
export const lastStepsNow = [...lastSteps, 'unknown'] as const
export type LastStepNow = (typeof lastStepsNow)[number]

/** The dates between which a step lies; a deal has been paid when it came to a stage that is won. */
export const flowFields: Readonly<Record<FlowStep, { from: TimeField; to: TimeField }>> = {
  survey: { from: 'createDate', to: 'siteSurveyCompleted' },
  cad: { from: 'siteSurveyCompleted', to: 'cadCompleted' },
  engineering: { from: 'cadCompleted', to: 'engineeringCompleted' },
  ntp: { from: 'engineeringCompleted', to: 'ntpApproved' },
  permitSubmission: { from: 'ntpApproved', to: 'permitSubmitted' },
  permit: { from: 'permitSubmitted', to: 'permitReceived' },
  // Without a permit that is needed, from `ntpApproved`.
  install: { from: 'permitReceived', to: 'installComplete' },
  funding: { from: 'installComplete', to: 'fundingSubmitted' },
  payment: { from: 'fundingSubmitted', to: 'timeInCurrentStage' },
}

/** Returns when a step began; null when that is not recorded. */
function beginOf(deal: KnownDeal, step: FlowStep): string | null {
  const begin = deal[flowFields[step].from]
  const needsNoPermit = deal.permitRequired === false && deal.permitSubmitted === null
  return step === 'install' && begin === null && needsNoPermit ? deal.ntpApproved : begin
}

/**
 * Returns the calendar days that a completed step took; null when incomplete, or dates are missing or out of
 * order.
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

/** The step in which an open deal is, and since when; ISO 8601, null when that is not recorded. */
export interface CurrentStep {
  step: FlowStep
  since: string | null
}

/** Returns the step in which a deal is; null when it is closed or on hold, or that is not known. */
export function currentStepOf(deal: KnownDeal, { candidates }: Evidence, nowMs: number): CurrentStep | null {
  const steps = new Set(candidates.map(flowStepOf))
  const [step] = steps
  if (steps.size !== 1 || step === undefined || step === null) return null
  const begin = beginOf(deal, step)
  return { step, since: begin !== null && isPast(Date.parse(begin), nowMs) ? begin : null }
}

function flowStepOf(step: AwaitedStep): FlowStep | null {
  if (step === 'hoa') return null
  if (step === 'inspection') return 'funding'
  return step === 'm2' ? 'payment' : step
}

/** The step that an open deal is in, since when (ISO 8601), and for how many days of the calendar. */
export interface OngoingStep {
  step: FlowStep
  since: string
  days: number
}

/** Returns the step that an open deal is in; null when that or its begin is not known. */
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
 * Returns the last step that a deal has completed, by its stage. When that says nothing, its dates are the
 * record, unless there are none or an earlier one is missing.
 */
export function lastStepOf(deal: KnownDeal, kind: StageKind, evidence: Evidence, nowMs: number): LastStepNow {
  const { behind, candidates } = evidence
  const reached = flowSteps.filter((step) => indexOfStep(step) < behind)
  const isDated = (step: FlowStep) => deal[flowFields[step].to] !== null || needsStep(deal, step) === false
  const isTold =
    isWon(kind) || candidates.length > 0 || (progressOf(deal, nowMs) > 0 && reached.every(isDated))
  return isTold ? (reached.at(-1) ?? 'created') : 'unknown'
}
