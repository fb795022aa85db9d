import type { PlannedStage } from '#server/sources/planned-stages.ts'

/** Says whether a stage is here, or where it would come and what it is like. */
export function placeText({ added }: PlannedStage): string {
  if (added === undefined) return 'Here already'
  const { after, likely } = added
  const like = likely.length === 0 ? '' : ` · like ${likely.join(', ')}`
  if (after === undefined) return `New${like}`
  return `${after === null ? 'New, first of its kind' : `New, after ${after}`}${like}`
}
