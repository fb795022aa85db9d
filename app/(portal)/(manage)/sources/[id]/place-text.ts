import type { PlannedStage } from '#server/sources/planned-stages.ts'

/** Describes whether a stage exists, or where it would go and which stages are similar. */
export function placeText({ added }: PlannedStage): string {
  if (added === undefined) return 'Here already'
  const { after, likely } = added
  const like = likely.length === 0 ? '' : ` · like ${likely.join(', ')}`
  if (after === undefined) return `New${like}`
  return `${after === null ? 'New, first of its kind' : `New, after ${after}`}${like}`
}
