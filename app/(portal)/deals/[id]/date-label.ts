import type { Step } from '#server/deals/milestones/timeline.ts'

/** Returns what a date of a step says. Nothing is planned to be created: a date of that in the future is a mistake. */
export const dateLabel = (name: Step['name'], { label, isPlan }: Step['dates'][number]) =>
  name === 'created' && isPlan ? 'Created date is in the future:' : label
