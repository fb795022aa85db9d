import type { AwaitedStep } from '../stages/place.ts'
import { type StageKind, isClosed, isOnHold } from '../stages/stage.ts'
import type { Zone } from '../values/zone.ts'
import type { KnownDeal } from './deal.ts'
import { type StageMeaning, evidenceOf } from './evidence.ts'
import { type MilestoneName, awaitedText, milestoneOf } from './milestone.ts'
import { type Step, awaitedSteps, endStepOf, isOpen, timelineOf } from './timeline.ts'

/** The next step of a deal in lists: overdue, planned, without a date, or unknown. */
export type NextStep =
  | { kind: 'late' | 'planned'; label: string; time: string; daysUntil: number }
  | { kind: 'open'; label: string }
  | { kind: 'unknown' }

/**
 * Returns the next step of a deal in this stage, or null if the deal is closed. Based on the same timeline as
 * the deal's page.
 */
export function nextStepOf(deal: KnownDeal, stage: StageMeaning, nowMs: number, zone: Zone): NextStep | null {
  if (isClosed(stage.kind)) return null
  const evidence = evidenceOf(deal, stage, nowMs)
  const steps = timelineOf(deal, stage, nowMs, zone, evidence).filter(isOpenMilestone)
  const dated = steps.filter(isDated).toSorted((a, b) => Date.parse(a.plannedFor) - Date.parse(b.plannedFor))
  const late = dated.find(({ state }) => state === 'late')
  if (late !== undefined) return dateOf(late, 'late', late.label)
  // A later step may already have a date, but is not the next step.
  const planned = dated.find(({ name, isAwaited }) => isAwaited || endStepOf(name) === undefined)
  if (planned !== undefined) return dateOf(planned, 'planned', labelOfPlan(planned, deal))
  const label = labelOfOpen(steps, evidence.awaited)
  return label === null ? { kind: 'unknown' } : { kind: 'open', label }
}

type OpenStep = Step & { name: MilestoneName }

const isOpenMilestone = (step: Step): step is OpenStep =>
  step.name !== 'stage' && step.name !== 'payment' && isOpen(step.state)

type DatedStep = OpenStep & { plannedFor: string; daysUntil: number }

const isDated = (step: OpenStep): step is DatedStep => step.plannedFor !== null

const dateOf = ({ plannedFor, daysUntil }: DatedStep, kind: 'late' | 'planned', label: string): NextStep => ({
  kind,
  label,
  time: plannedFor,
  daysUntil,
})

/** Returns the label of a planned date. A future date that is not a plan gets the label of its step. */
function labelOfPlan({ name, label, plannedFor }: DatedStep, deal: KnownDeal): string {
  const plan = milestoneOf(name).dates.find(
    ({ field, part }) =>
      part === 'plan' && deal[field] != null && Date.parse(deal[field]) === Date.parse(plannedFor),
  )
  return plan?.fullLabel ?? label
}

/** Returns the label of an awaited step without a date, or null if the step is unknown. */
function labelOfOpen(steps: OpenStep[], awaited: AwaitedStep | null): string | null {
  if (awaited === 'payment') return 'Payment'
  const step = steps.find(({ name }) => name === 'reInspection') ?? steps.find(({ isAwaited }) => isAwaited)
  if (step === undefined) return null
  const text = awaited === 'permitSubmission' ? 'permit submission' : awaitedText(step.name)
  return text[0]!.toUpperCase() + text.slice(1)
}

type Urgency = 'late' | 'waiting' | 'resting' | 'unknown' | 'over'

/** The steps that a deal waits for: first the next step, then parallel steps that are running or late. */
export interface Awaited {
  urgency: Urgency
  steps: Step[]
}

/** Returns the steps that a deal waits for in a stage of this kind, or [] if the stage is on hold. */
export function waitsFor(stageKind: StageKind, timeline: Step[]): Awaited {
  if (isClosed(stageKind)) return { urgency: 'over', steps: [] }
  if (isOnHold(stageKind)) return { urgency: 'resting', steps: [] }
  const steps = awaitedSteps(timeline)
  if (steps.length === 0) return { urgency: 'unknown', steps }
  return { urgency: steps.some(({ state }) => state === 'late') ? 'late' : 'waiting', steps }
}
