import { formatCount, type Format, formatCountOf } from '#app/ui/format.ts'
import type { DealField, KnownDeal } from '#server/deals/deal.ts'
import type { FlowStep } from '#server/deals/flow.ts'
import type { NextStep } from '#server/deals/next-step.ts'
import type { DealPayment, PaymentGap } from '#server/deals/payment.ts'
import { dayMs, minuteMs } from '#server/values/units.ts'

/** Fields needed for a deal's title and street address. */
export const nameFields = [
  'dealname',
  'firstName',
  'lastName',
  'streetAddress',
  'city',
  'state',
  'zipCode',
] as const satisfies DealField[]

/** Returns the title of a deal: the deal's name, or else the homeowner's name, or else the ID. */
export function dealTitle({
  id,
  dealname,
  firstName,
  lastName,
}: Pick<KnownDeal, 'id'> & Partial<KnownDeal>): string {
  return dealname || [lastName, firstName].filter(Boolean).join(', ') || `Deal ${id}`
}

/** Returns the deal's street address in one line; empty if unknown. */
export function dealAddress({ streetAddress, city, state, zipCode }: Partial<KnownDeal>): string {
  return [streetAddress, city, [state, zipCode].filter(Boolean).join(' ')].filter(Boolean).join(', ')
}

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

/** Describes the minimum time in stage, such as `At least 3 days`, since the portal first saw the stage. */
export const seenInStage = (
  seenAt: string,
  nowMs: number,
  formatDuration: (since: string, nowMs: number) => string,
): string =>
  nowMs - Date.parse(seenAt) < minuteMs ? 'Just now' : `At least ${formatDuration(seenAt, nowMs)}`

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

/** Returns the text above similar matches. `words` are the similar words found in these deals. */
export function similarText(exact: number, words: readonly string[], search: string): string {
  const names = words.map((word) => word.replace(/^./u, (letter) => letter.toUpperCase()))
  const similar = names.length === 0 ? '' : `: ${names.join(', ')}`
  if (exact === 0) return `No exact match for “${search.trim()}”; showing similar${similar}`
  return `${exact === 1 ? '1 exact match' : `${formatCount(exact)} exact matches`}, then similar${similar}`
}
