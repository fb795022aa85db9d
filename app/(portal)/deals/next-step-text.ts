import { formatCountOf } from '#app/ui/format.ts'
import type { NextStep } from '#server/deals/milestones/next-step.ts'
import { minuteMs } from '#server/values/units.ts'

/** Describes how late a step is: `12 days late`. */
export const daysLateText = ({ daysUntil }: { daysUntil: number }) =>
  `${formatCountOf(-daysUntil, 'day')} late`

/** Returns the next step and its day as text; empty for a closed deal. */
export function nextStepText(step: NextStep | null, formatDay: (time: string) => string): string {
  switch (step?.kind) {
    case undefined:
      return ''
    case 'late':
      return `${step.label} ${daysLateText(step)}`
    case 'planned':
      return `${step.label} ${formatDay(step.time)}`
    case 'open':
      return step.label
    case 'unknown':
      return '–'
  }
}

/** Returns how long a deal has been in its stage at least, by when the portal first saw it there: `At least 3 days`. */
export const seenInStage = (
  seenAt: string,
  nowMs: number,
  formatDuration: (since: string, nowMs: number) => string,
): string =>
  nowMs - Date.parse(seenAt) < minuteMs ? 'Just now' : `At least ${formatDuration(seenAt, nowMs)}`
