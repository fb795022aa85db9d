import { isOnHold, isLost, isWon } from '../../stages/stage.ts'
import type { KnownDeal } from '../deal.ts'
import type { Evidence, StageMeaning } from './evidence.ts'
import type { ExpectedStep } from './expected.ts'
import { type FlowStep, currentStepOf } from './flow.ts'
import { isServiceTicket } from './service.ts'

/** The reason why the time of payment is unknown. */
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
