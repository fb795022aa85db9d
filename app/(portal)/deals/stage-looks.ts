import type { Tone } from '#app/ui/badge.tsx'
import type { StageTone } from '#server/stages/stage.ts'

/** How a stage's color is rendered: as a badge, a dot, and a bar. */
export const stageLooks: Record<StageTone, { badge: Tone; dot: string; bar: string }> = {
  gray: { badge: 'neutral', dot: 'bg-control', bar: 'fill-control' },
  blue: { badge: 'info', dot: 'bg-info', bar: 'fill-info' },
  violet: { badge: 'violet', dot: 'bg-violet', bar: 'fill-violet' },
  teal: { badge: 'teal', dot: 'bg-teal', bar: 'fill-teal' },
  green: { badge: 'good', dot: 'bg-good', bar: 'fill-good' },
}
