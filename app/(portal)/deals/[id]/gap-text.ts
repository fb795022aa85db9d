import { formatCountOf } from '#app/ui/format.ts'
import type { Step } from '#server/deals/milestones/timeline.ts'

/** Describes how long after another step a step began: `3 days after notice to proceed`. */
export function gapText({ days, after }: NonNullable<Step['gap']>): string {
  if (after === null) return days === 0 ? 'the same day' : `${formatCountOf(days, 'day')} later`
  return days === 0
    ? `the same day as ${inSentence(after)}`
    : `${formatCountOf(days, 'day')} after ${inSentence(after)}`
}

/** Returns a label for use in the middle of a sentence; abbreviations stay unchanged. */
function inSentence(label: string): string {
  if (label === 'Created') return 'creation'
  return /^[A-Z][a-z]/.test(label) ? label[0]!.toLowerCase() + label.slice(1) : label
}
