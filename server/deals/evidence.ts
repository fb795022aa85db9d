import {
  type AwaitedStep,
  type SequentialStep,
  sequentialSteps,
  indexOfStep,
  stagePlaces,
} from '../stages/place.ts'
import { type Stage, isMoving, isWon } from '../stages/stage.ts'
import { msOf } from '../values/time.ts'
import { passesAt, isPast } from '../values/zone.ts'
import type { KnownDeal, DealRecord, FlagField, TimeField } from './deal.ts'
import { inspectionOutcome, milestoneOf, milestoneOfStep } from './milestone.ts'

/** The part of a stage that determines a deal's progress. */
export type StageMeaning = Pick<Stage, 'kind' | 'place'>

/** The progress of a deal, as derived from its stage and dates. */
export interface Evidence {
  /** Minimum number of completed steps. */
  behind: number
  /** The step that the deal waits for; null if the deal is closed or the step is unknown. */
  awaited: AwaitedStep | null
  /**
   * All steps that the deal may be waiting for: more than one if ambiguous, none if the deal is closed or the
   * step is unknown.
   */
  candidates: readonly AwaitedStep[]
  isStageBehind: boolean
  /** When a date passes that changes this progress, in milliseconds since 1970; null if no date will. */
  changesAt: number | null
}

/** The fields that show whether a step is completed or not required. */
interface StepRecord {
  end?: TimeField
  /** The flag that marks the step as completed if there is no date. */
  doneFlag?: FlagField
  /** The flag that is false if the deal does not need the step. */
  requiredFlag?: FlagField
}

const records: Readonly<Record<SequentialStep, StepRecord>> = {
  survey: { end: 'siteSurveyCompleted' },
  cad: { end: 'cadCompleted' },
  engineering: { end: 'engineeringCompleted' },
  ntp: { end: 'ntpApproved' },
  permitSubmission: { end: 'permitSubmitted', requiredFlag: 'permitRequired' },
  permit: { end: 'permitReceived', requiredFlag: 'permitRequired' },
  install: { end: 'installComplete', doneFlag: 'installCompleted' },
  inspection: { requiredFlag: 'inspectionRequired' },
  funding: { end: 'fundingSubmitted' },
  m2: { doneFlag: 'm2Approved' },
  payment: {},
}

const evidenceFields = [
  ...sequentialSteps.flatMap((step) => records[step].end ?? []),
  'siteSurveyRequested',
  'cadRequested',
  'redesignCompleteDate',
  'reSignDate',
  'engineeringRequested',
  'ntpRequested',
  'hoaApprovedDate',
  'inspectionRequested',
  'reInspectionRequested',
] as const satisfies readonly TimeField[]

/** Returns the progress of a deal at `nowMs` (milliseconds since 1970). */
export function evidenceOf(deal: KnownDeal, stage: StageMeaning, nowMs: number): Evidence {
  const changesAt = nextDateOf(deal, nowMs)
  if (isWon(stage.kind))
    return { behind: sequentialSteps.length, awaited: null, candidates: [], isStageBehind: false, changesAt }
  const byDates = behindByDates(deal, nowMs)
  const places = stage.place === null ? null : stagePlaces[stage.place]
  if (!isMoving(stage.kind) || isServiceTicket(deal))
    return { behind: byDates, awaited: null, candidates: [], isStageBehind: false, changesAt }
  const { candidates, isStageBehind } = candidatesOf(deal, places, byDates, nowMs)
  return {
    behind: candidates.length === 0 ? byDates : Math.max(byDates, Math.min(...candidates.map(positionOf))),
    awaited: candidates.length === 1 ? candidates[0]! : null,
    candidates,
    isStageBehind,
    changesAt,
  }
}

/**
 * Returns the number of steps before the awaited step. A homeowners association decides after engineering, so
 * HOA counts as NTP.
 */
const positionOf = (step: AwaitedStep) => indexOfStep(step === 'hoa' ? 'ntp' : step)

/**
 * Returns the number of steps completed according to dates, flags and results. A completed step implies that
 * all earlier steps are completed.
 */
function behindByDates(deal: KnownDeal | DealRecord, nowMs: number): number {
  const isOver = (step: SequentialStep) => {
    const { end, doneFlag } = records[step]
    const time = end === undefined ? null : deal[end]
    return (
      (time != null && isPast(msOf(time), nowMs)) ||
      (doneFlag !== undefined && deal[doneFlag] === true) ||
      (step === 'inspection' && inspectionOutcome(deal) === 'passed')
    )
  }
  return sequentialSteps.findLastIndex(isOver) + 1
}

/** Returns the number of steps completed according to dates, plus a half if the next step is in progress. */
export function progressOf(deal: KnownDeal | DealRecord, nowMs: number): number {
  const behind = behindByDates(deal, nowMs)
  const next = sequentialSteps[behind]
  const name = next === undefined ? null : milestoneOfStep(next)
  const isUnderway = name !== null && milestoneOf(name).dates.some(({ field }) => deal[field] != null)
  return isUnderway ? behind + 0.5 : behind
}

/** Returns whether a deal needs a step, or null if unknown. */
export function needsStep(deal: KnownDeal, step: SequentialStep): boolean | null {
  const { requiredFlag } = records[step]
  if (requiredFlag === undefined || isBegun(deal, step)) return true
  return deal[requiredFlag]
}

/** Returns true if a date or a result shows that a deal has an optional step. */
const isBegun = (deal: KnownDeal, step: SequentialStep) =>
  step === 'inspection'
    ? deal.inspectionRequested !== null ||
      deal.reInspectionRequested !== null ||
      inspectionOutcome(deal) !== null
    : deal.permitSubmitted !== null || deal.permitReceived !== null

/**
 * Returns the possible next steps according to the position of the deal's stage and the completed steps. If
 * the stage has no position, there is a result only if dates leave a single possible step.
 */
function candidatesOf(
  deal: KnownDeal,
  places: readonly AwaitedStep[] | null,
  byDates: number,
  nowMs: number,
): { candidates: readonly AwaitedStep[]; isStageBehind: boolean } {
  const last = sequentialSteps.length - 1
  // Without a stage, it is unknown whether the deal has already been paid.
  if (places === null)
    return { candidates: byDates >= last && deal.stage ? ['payment'] : [], isStageBehind: false }
  const left = places.filter((step) =>
    step === 'hoa'
      ? byDates <= indexOfStep('permit') &&
        (deal.hoaApprovedDate === null || !isPast(msOf(deal.hoaApprovedDate), nowMs))
      : indexOfStep(step) >= byDates && (places.length === 1 || needsStep(deal, step) !== false),
  )
  if (left.length === 0) {
    const isStageBehind = byDates > Math.max(...places.map(positionOf)) + 1
    return { candidates: nextSteps(deal, Math.max(byDates, ...places.map(positionOf))), isStageBehind }
  }
  const [first] = left
  const isFirst = left.length === 1 || isSurelyLeft(deal, first!)
  return { candidates: isFirst ? [first!] : left, isStageBehind: false }
}

/** Returns true if the deal's data shows that it waits for the first of two steps. */
const isSurelyLeft = (deal: KnownDeal, step: AwaitedStep) =>
  step === 'm2' ? deal.m2Approved === false : step !== 'hoa' && needsStep(deal, step) === true

/** Returns the steps that may come after the first `behind` steps. */
function nextSteps(deal: KnownDeal, behind: number): SequentialStep[] {
  const next: SequentialStep[] = []
  for (const step of sequentialSteps.slice(Math.min(behind, sequentialSteps.length - 1))) {
    const isNeeded = needsStep(deal, step)
    if (isNeeded !== false) next.push(step)
    if (isNeeded === true) break
  }
  return next
}

function nextDateOf(deal: KnownDeal, nowMs: number): number | null {
  const ahead = evidenceFields.flatMap((field) => {
    const time = deal[field]
    if (time === null) return []
    const at = passesAt(msOf(time))
    return at > nowMs ? [at] : []
  })
  return ahead.length === 0 ? null : Math.min(...ahead)
}

const core = new Set([
  'service',
  'services',
  'servicing',
  'repair',
  'repairs',
  'warranty',
  'maintenance',
  'om',
])
const around = new Set(
  'and call calls case cases customer field job jobs order orders pipeline post install request requests solar support ticket tickets work'.split(
    ' ',
  ),
)

/**
 * Returns true if a deal is a service ticket, which is never paid. Pipelines such as `Service` or `Warranty &
 * Repairs` contain service tickets; if the pipeline is unknown, a stage such as `Service Scheduled` decides.
 * Pipelines for other work, such as `Service Upgrade`, do not count.
 */
export function isServiceTicket({ pipeline, stage }: Pick<KnownDeal, 'pipeline' | 'stage'>): boolean {
  if (!pipeline) return /^\s*service (?:complete|request|schedule|ticket|call)/i.test(stage ?? '')
  const words =
    pipeline
      .slice(0, 100)
      .toLowerCase()
      .replaceAll(/o ?& ?m\b/g, 'om')
      .match(/[a-z]+/g) ?? []
  return words.some((word) => core.has(word)) && words.every((word) => core.has(word) || around.has(word))
}
