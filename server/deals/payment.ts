import { isOnHold, isLost, isWon } from '../stages/stage.ts'
import { addDays } from '../values/zone.ts'
import type { KnownDeal } from './deal.ts'
import { type Evidence, type StageMeaning, isServiceTicket } from './evidence.ts'
import { type FlowStep, type OngoingStep, flowSteps, currentStepOf } from './flow.ts'
import type { Step } from './timeline.ts'

export type PaymentGap =
  | { why: 'onHold' | 'stepNotKnown' | 'tooFewDeals' }
  /** The date on which the current step began is missing. */
  | { why: 'noDate'; step: FlowStep }

/**
 * When a deal was paid (ISO 8601; null if not recorded), or is expected to be paid: between two days, such as
 * `2026-03-01`. `isLate` means that the later day has passed. If the time is unknown, contains the reason.
 */
export type DealPayment =
  | { kind: 'paid'; since: string | null }
  | { kind: 'expected'; from: string; to: string; isLate: boolean; usual: ExpectedStep['usual'] | null }
  | ({ kind: 'unknown' } & PaymentGap)

/**
 * Returns when a deal was or will be paid, or null if the deal is lost or a service ticket. `expected` is the
 * payment step from `expectedSteps`, computed on `today`.
 */
export function paymentOf(
  deal: KnownDeal,
  stage: StageMeaning,
  evidence: Evidence,
  expected: ExpectedStep | undefined,
  { nowMs, today }: { nowMs: number; today: string },
): DealPayment | null {
  const { kind } = stage
  if (isLost(kind) || isServiceTicket(deal)) return null
  if (isWon(kind)) return { kind: 'paid', since: deal.timeInCurrentStage }
  if (isOnHold(kind)) return { kind: 'unknown', why: 'onHold' }
  const current = currentStepOf(deal, evidence, nowMs)
  if (current === null) return { kind: 'unknown', why: 'stepNotKnown' }
  if (current.since === null) return { kind: 'unknown', why: 'noDate', step: current.step }
  if (expected === undefined) return { kind: 'unknown', why: 'tooFewDeals' }
  return {
    kind: 'expected',
    from: expected.from < today ? today : expected.from,
    to: expected.to,
    isLate: expected.to < today,
    // Before the payment step begins, the time to payment also depends on the duration of other steps.
    usual: current.step === 'payment' ? expected.usual : null,
  }
}

/** Median and 80th percentile of the days that each step takes; null if there are too few deals. */
export type UsualSteps = Record<FlowStep, { median: number; slow: number } | null>

/** When a step is expected to end: between two days, such as `2026-03-01`. */
export interface ExpectedStep {
  from: string
  to: string
  isPast: boolean
  usual: { median: number; slow: number }
  /** When the step began, ISO 8601; null if it has not begun. */
  since: string | null
  /** True if the step has taken longer than the 80th percentile. */
  isSlow: boolean
}

/**
 * Returns when the current and later steps are expected to end, by name of the step in the timeline. Stops at
 * the first step without a usual duration. If an expected day has passed, later steps are counted from today.
 */
export function expectedSteps(
  now: OngoingStep | null,
  usual: UsualSteps,
  timeline: readonly Step[],
  today: string,
): Partial<Record<Step['name'], ExpectedStep>> {
  const expected: Partial<Record<Step['name'], ExpectedStep>> = {}
  if (now === null) return expected
  const stateOf = (step: FlowStep) => timeline.find(({ name }) => name === step)?.state
  const permit = stateOf('permit')
  let [from, to] = [addDays(today, -now.days), addDays(today, -now.days)]
  for (const step of flowSteps.slice(flowSteps.indexOf(now.step))) {
    if (step === 'permitSubmission' || step === 'permit') {
      if (permit === 'notRequired') continue
      if (permit === 'unknown') break
    }
    const days = usual[step]
    if (days === null) break
    from = addDays(from, days.median)
    to = addDays(to, days.slow)
    // The current step is in progress, unless the deal waits for another step, such as HOA approval.
    const isNow = step === now.step && stateOf(step) !== 'toDo'
    // Permit submission has no row of its own in the timeline.
    if (step !== 'permitSubmission')
      expected[step] = {
        from,
        to,
        isPast: to < today,
        usual: days,
        since: isNow ? now.since : null,
        isSlow: isNow && now.days > days.slow,
      }
    if (from < today) from = today
    if (to < today) to = today
  }
  return expected
}
