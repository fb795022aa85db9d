import { formatCountOf } from '#app/ui/format.ts'
import type { NextStep } from '#server/deals/milestones/next-step.ts'
import { minuteMs } from '#server/values/units.ts'

/** Describes how late a step is, such as `12 days late`. */
export const daysLateText = ({ daysUntil }: { daysUntil: number }) =>
  `${formatCountOf(-daysUntil, 'day')} late`

/** Returns the next step and its date as text; empty for closed deals. */
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

/**
 * Describes the minimum time in stage, such as `At least 3 days`. `seenAt` is when the portal first saw the
 * deal in that stage.
 */
export const seenInStage = (
  seenAt: string,
  nowMs: number,
  formatDuration: (since: string, nowMs: number) => string,
): string =>
  nowMs - Date.parse(seenAt) < minuteMs ? 'Just now' : `At least ${formatDuration(seenAt, nowMs)}`
