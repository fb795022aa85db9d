import { hourMs, minuteMs, secondMs } from '../values/units.ts'
import type { DeliveryState, EndpointKind } from './delivery.ts'

// Fictional deliveries for the demo, so that no requests are sent.

export interface DemoEvent {
  sequence: number
  kind: EndpointKind
  dealId: string
  at: Date
}

interface DemoAttempt {
  at: Date
  status: number
  durationMs: number
}

export interface DemoDelivery extends DemoEvent {
  state: DeliveryState
  step: number
  dueAt: Date | null
  attempts: DemoAttempt[]
}

// Number of newest updates that are not accepted yet, and of oldest updates that never will be.
const retryingCount = 6
const openMax = 60
// On the day after a holiday, the newest event is older than the whole retry schedule.
const triedForMs = 30 * hourMs
const failedCount = 3
// After a weekend, nothing has been accepted for a day, so the newest of these deliveries are resent.
const resentCount = 24
const resentEveryMs = 47 * minuteMs

/**
 * Returns a delivery for each event, in event order. Created events and most updates were accepted. The
 * oldest updates failed until their retry schedule ended, unless it is still running. The newest updates are
 * being retried, in order for each deal.
 */
export function demoHistory(
  events: readonly DemoEvent[],
  now: Date,
  scheduleMs: readonly number[],
): DemoDelivery[] {
  const updates = events.filter(({ kind }) => kind === 'update')
  const ended = updates.filter((event) => rejected(event, 500, now, scheduleMs).state === 'failed')
  const failed = new Set(ended.slice(0, failedCount))
  const open = new Set(updates.slice(Math.max(failedCount, openFrom(updates))))
  const heads = new Map<string, DemoDelivery>()
  const history = events.map((event): DemoDelivery => {
    if (failed.has(event)) return rejected(event, 500, now, scheduleMs)
    if (!open.has(event)) return accepted(event)
    const head = heads.get(event.dealId)
    if (head !== undefined) return { ...event, state: 'waiting', step: 0, dueAt: head.dueAt, attempts: [] }
    const from = Math.max(event.at.getTime(), now.getTime() - triedForMs)
    const delivery = rejected(event, 503, now, scheduleMs, from)
    if (delivery.state === 'waiting') heads.set(event.dealId, delivery)
    return delivery
  })
  return withResent(history, now)
}

/** Returns the deliveries. If none was accepted in the last day, marks some as resent since then. */
function withResent(history: DemoDelivery[], now: Date): DemoDelivery[] {
  const lastAt = ({ attempts }: DemoDelivery) => attempts.at(-1)!.at.getTime()
  const delivered = history.filter(({ state }) => state === 'delivered')
  if (delivered.some((each) => lastAt(each) > now.getTime() - 24 * hourMs)) return history
  const resent = delivered.slice(-resentCount).toReversed()
  return history.map((delivery) => {
    const index = resent.indexOf(delivery)
    if (index === -1) return delivery
    const at = new Date(now.getTime() - (index + 1) * resentEveryMs)
    return { ...delivery, attempts: [...delivery.attempts, { at, status: 200, durationMs: 90 + index * 7 }] }
  })
}

/**
 * Returns the index of the first update that is not accepted, early enough for a later update of the same
 * deal to wait behind it.
 */
function openFrom(updates: readonly DemoEvent[]): number {
  const usual = updates.length - retryingCount
  const earliest = Math.max(0, updates.length - openMax)
  const head = updates.findLastIndex(
    ({ dealId }, index) =>
      index >= earliest && updates.slice(index + 1).some((later) => later.dealId === dealId),
  )
  return head === -1 ? usual : Math.min(usual, head)
}

function accepted(event: DemoEvent): DemoDelivery {
  const at = new Date(event.at.getTime() + secondMs)
  const again = new Date(at.getTime() + 5 * secondMs)
  const isSlow = event.sequence % 29 === 0
  return {
    ...event,
    state: 'delivered',
    step: isSlow ? 2 : 1,
    dueAt: null,
    attempts: [
      ...(isSlow ? [{ at, status: 502, durationMs: 1240 }] : []),
      { at: isSlow ? again : at, status: 200, durationMs: 80 + ((event.sequence * 37) % 190) },
    ],
  }
}

function rejected(
  event: DemoEvent,
  status: number,
  now: Date,
  scheduleMs: readonly number[],
  from = event.at.getTime(),
): DemoDelivery {
  const attempts: DemoAttempt[] = []
  let at = from + secondMs
  for (const [step, waitMs] of scheduleMs.entries()) {
    at += waitMs
    if (at > now.getTime() && step > 0)
      return { ...event, state: 'waiting', step, dueAt: new Date(at), attempts }
    attempts.push({ at: new Date(at), status, durationMs: 210 + ((event.sequence * 53) % 400) })
  }
  return { ...event, state: 'failed', step: attempts.length, dueAt: null, attempts }
}
