import type { Deal } from '../deal.ts'
import { type MilestoneDate, milestoneDates, milestones } from './milestone.ts'

/** The fields from which the nearest milestone of a deal is told. */
export const nearestFields = milestoneDates.map(({ field }) => field)

/** What happened to a deal, or is going to. */
export interface NearestMilestone {
  label: string
  /** ISO 8601. */
  time: string
  isAhead: boolean
}

const happened = milestoneDates.filter(({ part }) => part !== 'plan')

/** Returns what is planned next for a deal, else what happened last; null when nothing is known. */
export function nearestMilestone(deal: Partial<Deal>, nowMs: number): NearestMilestone | null {
  const next = known(deal, plansOf(deal))
    .filter(({ time }) => Date.parse(time) > nowMs)
    .toSorted(byTime)[0]
  if (next !== undefined) return { ...next, isAhead: true }
  const last = known(deal, happened)
    .filter(({ time }) => Date.parse(time) <= nowMs)
    .toSorted(byTime)
    .at(-1)
  return last === undefined ? null : { ...last, isAhead: false }
}

/** Returns what may still be planned: a permit that was received is no longer expected. */
const plansOf = (deal: Partial<Deal>): MilestoneDate[] =>
  milestones
    .filter(({ dates }) => !dates.some(({ field, part }) => part === 'end' && deal[field] != null))
    .flatMap(({ dates }) => dates.filter(({ part }) => part === 'plan'))

const known = (deal: Partial<Deal>, dates: readonly MilestoneDate[]) =>
  dates.flatMap(({ field, shortLabel }) => {
    const time = deal[field]
    return time == null ? [] : [{ label: shortLabel, time }]
  })

const byTime = (a: { time: string }, b: { time: string }) => Date.parse(a.time) - Date.parse(b.time)
