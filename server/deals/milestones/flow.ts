import { type Zone, dayNumberOf, isAhead } from '../../protocol/zone.ts'
import { type StageKind, isMoving, isWon } from '../../stages/stage.ts'
import type { Deal } from '../deal.ts'
import type { TimeField } from '../find/columns.ts'
import { type Step, isToDo } from './timeline.ts'

/**
 * The steps of a deal from its creation to its payment, in order. An open deal is in one of them at most. HOA, inspection and
 * M2 have no date of their end, or run beside the rest.
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

/** How far a deal has come: it was created, or the last step that is behind it. */
export const reaches = ['created', ...flowSteps] as const
export type FlowReach = (typeof reaches)[number]

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
function beginOf(deal: Deal, step: FlowStep): string | null {
  const begin = deal[flowFields[step].from]
  const needsPermit = deal.permitRequired || deal.permitSubmitted !== null
  return step === 'install' && begin === null && !needsPermit ? deal.ntpApproved : begin
}

/**
 * Returns how many days of the calendar a step took that is over; null when it is not, or its dates are missing or out of
 * order.
 */
export function daysTaken(
  deal: Deal,
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

/** Returns the step that an open deal is in by its timeline, and since how many days; null when none has begun. */
export function stepNow(
  deal: Deal,
  stageKind: StageKind,
  timeline: Step[],
  nowMs: number,
  zone: Zone,
): { step: FlowStep; days: number } | null {
  if (!isMoving(stageKind)) return null
  const isPermitBegun = deal.permitSubmitted !== null && !isAhead(deal.permitSubmitted, nowMs, zone)
  const isIn = (step: FlowStep) => {
    const begin = beginOf(deal, step)
    if (begin === null || isAhead(begin, nowMs, zone)) return false
    if (step === 'permitSubmission') return isToDo(timeline, 'permit') && !isPermitBegun
    return step === 'payment' || isToDo(timeline, step)
  }
  const step = flowSteps.findLast(isIn)
  return step === undefined
    ? null
    : { step, days: dayNumberOf(new Date(nowMs), zone) - dayNumberOf(beginOf(deal, step)!, zone) }
}

/** Returns how far a deal has come: paid by its stage, else the last step of which a date or a flag says that it is over. */
export function reachOf(deal: Deal, stageKind: StageKind, nowMs: number, zone: Zone): FlowReach {
  if (isWon(stageKind)) return 'payment'
  const isOver = (reach: FlowReach) => {
    if (reach === 'created') return true
    if (reach === 'payment') return false
    if (reach === 'install' && deal.installCompleted) return true
    if (reach === 'funding' && deal.m2Approved) return true
    const end = deal[flowFields[reach].to]
    return end !== null && !isAhead(end, nowMs, zone)
  }
  return reaches.findLast(isOver)!
}
