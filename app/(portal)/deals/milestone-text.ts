import { formatCountOf } from '#app/ui/format.ts'
import type { NearestMilestone } from '#server/deals/milestones/nearest.ts'

/** Describes how late a milestone is: `12 days late`. */
export const daysLateText = ({ daysLate }: Pick<NearestMilestone, 'daysLate'>) =>
  `${formatCountOf(daysLate, 'day')} late`
