import type { Step } from '#server/deals/milestones/timeline.ts'

/** Returns the next future day with a planned step; null if there is none. */
export function nextDate(timeline: readonly Step[]): { label: string; time: string } | null {
  const [next] = timeline
    .flatMap(({ state, label, plannedFor }) =>
      state === 'planned' && plannedFor !== null ? [{ label: `${label} planned`, time: plannedFor }] : [],
    )
    .toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time))
  return next ?? null
}
