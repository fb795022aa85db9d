import { type StageKind, isClosed, isOnHold } from '../../stages/stage.ts'
import { type Step, awaitedSteps } from './timeline.ts'

/** The urgency of a step. */
type Urgency = 'late' | 'waiting' | 'resting' | 'unknown' | 'over'

/** Awaited steps of a deal: the next one, then parallel ones that are running or late. */
export interface Awaited {
  urgency: Urgency
  steps: Step[]
}

/** Returns the awaited steps of a deal in a stage of this kind; none on hold. */
export function waitsFor(stageKind: StageKind, timeline: Step[]): Awaited {
  if (isClosed(stageKind)) return { urgency: 'over', steps: [] }
  if (isOnHold(stageKind)) return { urgency: 'resting', steps: [] }
  const steps = awaitedSteps(timeline)
  if (steps.length === 0) return { urgency: 'unknown', steps }
  return { urgency: steps.some(({ state }) => state === 'late') ? 'late' : 'waiting', steps }
}
