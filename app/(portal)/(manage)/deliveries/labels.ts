import type { Tone } from '#app/ui/badge.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { minuteMs } from '#server/values/units.ts'
import type { WithdrawnBecause } from '#server/webhooks/delivery.ts'
import { type LogState, withdrawals } from '#server/webhooks/wire.ts'

/** Label and tone of each delivery state. */
export const states: Record<LogState, { label: string; tone: Tone }> = {
  waiting: { label: 'Waiting', tone: 'info' },
  retrying: { label: 'Retrying', tone: 'wait' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
}

interface Progress {
  state: LogState
  attemptCount: number
  dueAt: Date | null
  /** When the delivery's endpoint was disabled; null if the endpoint is enabled or not set. */
  switchedOffAt: Date | null
  /** Why the delivery cannot be resent; null if resending is possible. */
  withdrawnBecause: WithdrawnBecause | null
}

/**
 * Describes the last failure of a delivery and when the next attempt is due, such as `500 · next in 4
 * minutes`.
 */
export function describeRetry(
  { lastStatus, dueAt }: { lastStatus: number | null; dueAt: Date | null },
  nowMs: number,
): string {
  const next = dueAt === null || dueAt.getTime() <= nowMs ? 'soon' : inTime(dueAt, nowMs)
  return `${lastStatus ?? 'No response'} · next ${next}`
}

/** Describes the progress of a delivery in a sentence. */
export function describeProgress(
  { state, attemptCount, dueAt, switchedOffAt, withdrawnBecause }: Progress,
  nowMs: number,
): string {
  const attempts = formatCountOf(attemptCount, 'attempt')
  if (state === 'delivered')
    return attemptCount === 1 ? 'Delivered on the first attempt.' : `Delivered after ${attempts}.`
  if (withdrawnBecause !== null)
    return `${withdrawals[withdrawnBecause]}: ${attemptCount === 0 ? 'not sent' : `stopped after ${attempts}`}.`
  if (state === 'failed')
    return attemptCount === 0
      ? 'Not sent: the endpoint URL was removed.'
      : `Failed after ${attempts}. You can resend it.`
  const soFar = attemptCount === 0 ? 'Not sent yet' : `${attempts} so far`
  if (switchedOffAt !== null) return `${soFar}. Sent once the endpoint is switched back on.`
  if (dueAt === null || dueAt.getTime() <= nowMs) return `${soFar}. Sending soon.`
  // A delivery without attempts is only due later if an earlier event of the same deal has to be sent first.
  return attemptCount === 0
    ? `${soFar}. Waiting for an earlier event of the same deal.`
    : `${soFar}. Next attempt ${inTime(dueAt, nowMs)}.`
}

const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })

function inTime(at: Date, nowMs: number): string {
  const minutes = (at.getTime() - nowMs) / minuteMs
  if (minutes < 1) return 'in less than a minute'
  return minutes < 60
    ? relative.format(Math.round(minutes), 'minute')
    : relative.format(Math.round(minutes / 60), 'hour')
}
