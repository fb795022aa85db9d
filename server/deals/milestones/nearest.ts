import { type Zone, isPast } from '../../protocol/zone.ts'
import type { KnownDeal } from '../deal.ts'
import type { StageMeaning } from './evidence.ts'
import { milestoneDates, milestoneOf } from './milestone.ts'
import { type PlannedStep, plannedSteps } from './timeline.ts'

/** The milestone shown in a list: the late step, else the next planned, else the latest done. */
export interface NearestMilestone {
  kind: 'late' | 'ahead' | 'done'
  label: string
  /** ISO 8601. */
  time: string
  /** Days late; 0 when on time. */
  daysLate: number
}

const happened = milestoneDates.filter(({ part }) => part !== 'plan')

/**
 * Returns the nearest milestone of a deal in a stage, by the same timeline as the deal's page; null when nothing is known.
 */
export function nearestMilestone(
  deal: KnownDeal,
  stage: StageMeaning,
  nowMs: number,
  zone: Zone,
): NearestMilestone | null {
  const planned = plannedSteps(deal, stage, nowMs, zone).toSorted(
    (a, b) => Date.parse(a.plannedFor) - Date.parse(b.plannedFor),
  )
  const late = planned.find(({ state }) => state === 'late')
  if (late !== undefined)
    return { kind: 'late', label: late.label, time: late.plannedFor, daysLate: -late.daysUntil }
  const [next] = planned
  if (next !== undefined)
    return { kind: 'ahead', label: labelOfPlan(next, deal), time: next.plannedFor, daysLate: 0 }
  const last = happened
    .flatMap(({ field, shortLabel }) => {
      const time = deal[field]
      return time == null || !isPast(Date.parse(time), nowMs) ? [] : [{ label: shortLabel, time }]
    })
    .toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time))
    .at(-1)
  return last === undefined ? null : { kind: 'done', ...last, daysLate: 0 }
}

/** Returns the label of a plan; a future date that is not a plan is labelled by its step. */
function labelOfPlan({ name, label, plannedFor }: PlannedStep, deal: KnownDeal): string {
  const plan = milestoneOf(name).dates.find(
    ({ field, part }) =>
      part === 'plan' && deal[field] != null && Date.parse(deal[field]) === Date.parse(plannedFor),
  )
  return plan?.shortLabel ?? label
}
