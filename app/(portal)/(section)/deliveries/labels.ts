import type { Tone } from '#app/ui/badge.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import type { DeliveryState, WithdrawnBecause } from '#server/webhooks/delivery.ts'
import { withdrawals } from '#server/webhooks/wire.ts'

/** How a state is shown. */
export const states: Record<DeliveryState, { label: string; tone: Tone }> = {
  waiting: { label: 'Waiting', tone: 'wait' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
}

/** What is known of how a delivery stands. */
interface Standing {
  state: DeliveryState
  attemptCount: number
  dueAt: Date | null
  /** When its address was switched off; null: it is on, or not set. */
  switchedOffAt: Date | null
  /** Why it is never sent again; null: it can be. */
  withdrawnBecause: WithdrawnBecause | null
}

/** Returns where a delivery stands, in a sentence. */
export function standingOf(
  { state, attemptCount, dueAt, switchedOffAt, withdrawnBecause }: Standing,
  nowMs: number,
): string {
  const tried = formatCountOf(attemptCount, 'attempt')
  if (state === 'delivered')
    return attemptCount === 1 ? 'Delivered with the first attempt.' : `Delivered after ${tried}.`
  if (withdrawnBecause !== null)
    return `${withdrawals[withdrawnBecause]}: ${attemptCount === 0 ? 'not sent' : `stopped after ${tried}`}.`
  if (state === 'failed')
    return attemptCount === 0
      ? 'Not sent: the address was cleared before.'
      : `Given up after ${tried}. It can be sent again.`
  const sofar = attemptCount === 0 ? 'Not sent yet' : `Tried ${times(attemptCount)} so far`
  if (switchedOffAt !== null)
    return `${sofar}: the address is switched off. It is sent when the address is on again.`
  if (dueAt === null || dueAt.getTime() <= nowMs) return `${sofar}: it is about to be sent.`
  // What has not been tried is due later only behind another one of its deal.
  return attemptCount === 0
    ? `${sofar}: it waits for an earlier event of the same deal.`
    : `${sofar}: it is tried again ${inTime(dueAt, nowMs)}.`
}

const times = (count: number) => (count === 1 ? 'once' : formatCountOf(count, 'time'))

const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })

function inTime(at: Date, nowMs: number): string {
  const minutes = (at.getTime() - nowMs) / 60_000
  if (minutes < 1) return 'in less than a minute'
  return minutes < 60
    ? relative.format(Math.round(minutes), 'minute')
    : relative.format(Math.round(minutes / 60), 'hour')
}
