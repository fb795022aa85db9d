import { isOnHold, isLost, isWon } from '../../stages/stage.ts'
import type { KnownDeal } from '../deal.ts'
import type { Evidence, StageMeaning } from './evidence.ts'
import type { ExpectedStep } from './expected.ts'
import { type FlowStep, currentStepOf } from './flow.ts'
import { isServiceTicket } from './service.ts'

/** The reason why the time of payment is unknown. */
export type PaymentGap =
  | { why: 'onHold' | 'stepNotKnown' | 'tooFewDeals' }
  /** The date that begins the current step is missing. */
  | { why: 'noDate'; step: FlowStep }

/**
 * When a deal is paid: since an instant (ISO 8601, null if not recorded), or expected between two days such as
 * `2026-03-01`, `isLate` after the later one; or why that is not known.
 */
export type DealPayment =
  | { kind: 'paid'; since: string | null }
  | { kind: 'expected'; from: string; to: string; isLate: boolean; usual: ExpectedStep['usual'] | null }
  | ({ kind: 'unknown' } & PaymentGap)

/**
 * Returns when a deal is paid; null if it is lost or a service ticket. `expected` is the payment among the expected steps, as of
 * `today`.
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
    // Earlier steps have durations of their own.
    usual: current.step === 'payment' ? expected.usual : null,
  }
}
