import type { Step } from '#server/deals/milestones/timeline.ts'

/** Returns the first of the days to come for which a step is planned; null when none is. */
export function nextDate(timeline: readonly Step[]): { label: string; time: string } | null {
  const [next] = timeline
    .flatMap(({ state, label, plannedFor }) =>
      state === 'planned' && plannedFor !== null ? [{ label: `${label} planned`, time: plannedFor }] : [],
    )
    .toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time))
  return next ?? null
}
