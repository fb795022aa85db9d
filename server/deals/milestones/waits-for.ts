import { type StageKind, isClosed, isOnHold } from '../../stages/stage.ts'
import { type Step, awaitedSteps } from './timeline.ts'

/** How urgent a step is. */
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
