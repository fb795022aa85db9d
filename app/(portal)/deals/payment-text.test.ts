import { expect, test } from 'vitest'
import { formatIn } from '#app/ui/format.ts'
import type { DealPayment } from '#server/deals/milestones/payment.ts'
import { type Zone, utc } from '#server/values/zone.ts'
import { paymentText } from './payment-text.ts'

const nowMs = Date.parse('2026-11-27T17:00:00Z')

test.each([
  ['2026-12-08', '2026-12-27', 'Dec 8 – Dec 27'],
  ['2026-12-20', '2027-01-06', 'Dec 20 – Jan 6'],
  ['2027-01-01', '2027-05-16', 'Jan 1 – May 16'],
  ['2027-03-05', '2027-03-05', 'About Mar 5'],
  ['2027-09-01', '2027-12-01', 'Sep 1 – Dec 1, 2027'],
])('shows a payment expected from %s to %s as %s', (from, to, text) => {
  for (const zone of ['America/Los_Angeles', 'Pacific/Kiritimati'] as Zone[])
    expect(
      paymentText({ kind: 'expected', from, to, isLate: false, usual: null }, nowMs, formatIn(zone)).value,
    ).toBe(text)
})

const usual = { median: 22, slow: 31 }
const expected = { kind: 'expected', from: '2026-11-25', to: '2026-11-25', isLate: false, usual } as const

test.each<[DealPayment, string, string]>([
  [expected, 'About Nov 25', 'Usually 22 days after funding submission (8 in 10 within 31)'],
  [
    { ...expected, isLate: true, usual: { median: 1, slow: 1 } },
    'Later than usual',
    'Usually 1 day after funding submission',
  ],
  [{ kind: 'paid', since: '2026-11-02T00:00:00.000Z' }, 'Nov 2', ''],
  [{ kind: 'unknown', why: 'noDate', step: 'payment' }, 'No funding submission date', ''],
  [{ kind: 'unknown', why: 'tooFewDeals' }, 'Too few paid deals to tell', ''],
])('shows the payment of %j as %s, because %j', (payment, value, hint) => {
  expect(paymentText(payment, nowMs, formatIn(utc))).toMatchObject({ value, hint })
})
