import type { Outputs } from '#app/trpc.ts'
import type { Tone } from '#app/ui/badge.tsx'
import { formatCount } from '#app/ui/format.ts'
import type { SourceState } from '#server/sources/source-state.ts'
import type { PlannedStage } from '#server/sources/try-mapping.ts'

/** A source in the list. */
export type SourceLine = Outputs['sources']['list'][number]

export type Source = Outputs['sources']['get']

/** Label and tone of each source state. */
export const sourceStates: Record<SourceState, { label: string; tone: Tone }> = {
  unconnected: { label: 'Not connected', tone: 'neutral' },
  paused: { label: 'Paused', tone: 'neutral' },
  failing: { label: 'Failing', tone: 'bad' },
  asking: { label: 'Needs approval', tone: 'wait' },
  loading: { label: 'Loading', tone: 'info' },
  following: { label: 'Current', tone: 'good' },
}

/** Describes the progress of the first sync, such as `12,400 of 50,000 · about 40 s left`. */
export function progressText({ windowRead, windowTotal, remainingMs }: SourceLine): string {
  const of = windowTotal === null ? '' : ` of ${formatCount(windowTotal)}`
  return `${formatCount(windowRead)}${of}${remainingMs === null ? '' : ` · about ${roughly(remainingMs)} left`}`
}

/** Formats a duration in its largest unit. */
export function roughly(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000))
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

/**
 * Describes where a planned stage would be added and which existing stages are similar, or that it exists.
 */
export function placeText({ added }: PlannedStage): string {
  if (added === undefined) return 'Exists already'
  const { after, likely } = added
  const like = likely.length === 0 ? '' : ` · like ${likely.join(', ')}`
  if (after === undefined) return `New${like}`
  return `${after === null ? 'New, first of its kind' : `New, after ${after}`}${like}`
}
