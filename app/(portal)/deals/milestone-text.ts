import { formatCountOf } from '#app/ui/format.ts'
import type { NearestMilestone } from '#server/deals/milestones/nearest.ts'

/** Describes a late milestone: `Permit 12 days late`. */
export const daysLateText = ({ label, daysLate }: Pick<NearestMilestone, 'label' | 'daysLate'>) =>
  `${label} ${formatCountOf(daysLate, 'day')} late`
