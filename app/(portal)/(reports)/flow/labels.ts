import { formatCountOf } from '#app/ui/format.ts'
import type { FlowPeriod, StepUsual } from '#server/insight/periods.ts'
import type { FlowFigures, SliceName } from '#server/insight/reports-wire.ts'

export const periodChoices: { value: FlowPeriod; label: string }[] = [
  { value: '3', label: 'Last 3 months' },
  { value: '6', label: 'Last 6 months' },
  { value: '12', label: 'Last 12 months' },
  { value: '24', label: 'Last 24 months' },
]

export const sliceLabels: Record<SliceName, string> = {
  utilityName: 'Utility',
  city: 'City',
  stage: 'Stage',
  closerName: 'Closer',
  pipeline: 'Pipeline',
}

export const measureLabels = {
  median: 'Median days',
  slow: '80% within (days)',
  reached: 'Share of created deals',
}

/** Describes how the median changed since the previous period. Returns null if either median is unknown. */
export function paceText(
  now: StepUsual,
  previous: StepUsual,
): { text: string; isBetter: boolean | null } | null {
  if (now.usual === null || previous.usual === null) return null
  const days = now.usual.median - previous.usual.median
  if (days === 0) return { text: 'Same', isBetter: null }
  return {
    text: `${formatCountOf(Math.abs(days), 'day')} ${days < 0 ? 'faster' : 'slower'}`,
    isBetter: days < 0,
  }
}

/** Formats a share of a whole, such as `82%`. */
export const shareText = (part: number, whole: number) =>
  whole === 0 ? '' : `${Math.round((100 * part) / whole)}%`

type LeftOut = FlowFigures['leftOut']

/** Describes the deals that are not part of the step durations. */
export const lengthsLeftOut = ({ undated }: Pick<LeftOut, 'undated'>) => [
  { ...undated, what: 'without enough dates' },
]

/** Describes the deals that are not part of the conversion rates. */
export const conversionLeftOut = ({ reachNotKnown, notCreated }: LeftOut) => [
  { ...reachNotKnown, what: 'without enough dates to say how far they came' },
  { ...notCreated, what: 'without a creation date' },
]
