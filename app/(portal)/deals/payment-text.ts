import { type Format, formatCountOf } from '#app/ui/format.ts'
import type { FlowStep } from '#server/deals/milestones/flow.ts'
import type { DealPayment, PaymentGap } from '#server/deals/milestones/payment.ts'
import { dayMs } from '#server/values/units.ts'

/** Describes usual durations: `Usually 6 days after install (8 in 10 within 9)`. */
export function usualText({ median, slow }: { median: number; slow: number }, after?: string): string {
  const usual = `Usually ${formatCountOf(median, 'day')}${after === undefined ? '' : ` after ${after}`}`
  return median === slow ? usual : `${usual} (8 in 10 within ${slow})`
}

const stepStarts: Readonly<Record<FlowStep, string>> = {
  survey: 'creation',
  cad: 'site survey',
  engineering: 'CAD design',
  ntp: 'engineering',
  permitSubmission: 'notice to proceed',
  permit: 'permit submission',
  install: 'permit',
  funding: 'install',
  payment: 'funding submission',
}

/** Formats a day such as `2027-03-04`. Includes the year only if the day is almost a year ahead. */
function nearDay(day: string, nowMs: number, { formatDay }: Format): string {
  const noonMs = Date.parse(`${day}T12:00:00Z`)
  return formatDay(`${day}T00:00:00Z`, noonMs - nowMs < 330 * dayMs ? noonMs : nowMs)
}

/** Describes when a deal is expected to be paid, and the basis of that estimate. */
export function paymentText(
  payment: DealPayment,
  nowMs: number,
  format: Format,
): { label: string; value: string; hint: string } {
  switch (payment.kind) {
    case 'paid':
      return {
        label: 'Paid',
        value: payment.since === null ? 'Yes' : format.formatDay(payment.since, nowMs),
        hint: '',
      }
    case 'expected': {
      const { from, to, isLate, usual } = payment
      const hint = usual === null ? 'if each step takes its usual time' : usualText(usual, stepStarts.payment)
      const range =
        from === to
          ? `About ${nearDay(from, nowMs, format)}`
          : `${nearDay(from, nowMs, format)} – ${nearDay(to, nowMs, format)}`
      return { label: 'Expected payment', value: isLate ? 'Later than usual' : range, hint }
    }
    case 'unknown':
      return { label: 'Expected payment', value: gapOfPayment(payment), hint: '' }
  }
}

function gapOfPayment(gap: PaymentGap): string {
  switch (gap.why) {
    case 'onHold':
      return 'On hold'
    case 'stepNotKnown':
      return 'Current step not known'
    case 'noDate':
      return `No ${stepStarts[gap.step]} date`
    case 'tooFewDeals':
      return 'Too few paid deals to tell'
  }
}
