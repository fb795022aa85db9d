import type { Step } from '#server/deals/milestones/timeline.ts'

/** Returns the label of a step's date. A future creation date is a mistake, so it is never "planned". */
export const dateLabel = (name: Step['name'], { label, isPlan }: Step['dates'][number]) =>
  name === 'created' && isPlan ? 'Created date is in the future:' : label
