import { formatCountOf } from '#app/ui/format.ts'
import type { FlowStep, LastStepNow } from '#server/deals/milestones/flow.ts'
import { milestoneOf } from '#server/deals/milestones/milestone.ts'

/** Returns the name of a step between milestones. */
export function stepLabel(step: FlowStep): string {
  if (step === 'permitSubmission') return 'Permit submission'
  if (step === 'payment') return 'Payment'
  return step === 'funding' ? 'Funding submission' : milestoneOf(step).label
}

/** Returns the name of how far a deal has come. */
export function reachLabel(reach: LastStepNow): string {
  if (reach === 'unknown') return 'not known'
  return reach === 'created' ? 'Created' : stepLabel(reach)
}

/** Describes how long deals take: half of them at most `median` days, four of five at most `slow`. */
export function usualText({ median, slow }: { median: number; slow: number }): string {
  const typical = `Typically ${formatCountOf(median, 'day')}`
  return median === slow ? typical : `${typical}, 80% within ${slow}`
}
