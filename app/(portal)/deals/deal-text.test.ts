import { expect, test } from 'vitest'
import { formatIn } from '#app/ui/format.ts'
import type { NextStep } from '#server/deals/next-step.ts'
import type { DealPayment } from '#server/deals/payment.ts'
import { type Zone, utc } from '#server/values/zone.ts'
import { similarText, paymentText, nextStepText, seenInStage, dealAddress, dealTitle } from './deal-text.ts'

test.each([
  [{ dealname: 'Lopez, Ana - 7.20 kW', firstName: 'Ana' }, 'Lopez, Ana - 7.20 kW'],
  [{ dealname: '', firstName: 'Ana', lastName: 'Lopez' }, 'Lopez, Ana'],
  [{ dealname: null, firstName: null, lastName: 'Lopez' }, 'Lopez'],
  [{}, 'Deal 9007199254740993'],
])('shows the deal %j as %s', (deal, title) => {
  expect(dealTitle({ id: 9007199254740993n, ...deal })).toBe(title)
})

test.each([
  [
    { streetAddress: '1 Elm St', city: 'Austin', state: 'TX', zipCode: '78701' },
    '1 Elm St, Austin, TX 78701',
  ],
  [{ streetAddress: null, city: 'Austin', state: null, zipCode: '78701' }, 'Austin, 78701'],
  [{}, ''],
])('the street address of %j is %j', (deal, address) => {
  expect(dealAddress(deal)).toBe(address)
})

const time = '2026-02-20T16:00:00.000Z'

test.each<[NextStep | null, string]>([
  [{ kind: 'late', label: 'Permit', time, daysUntil: -12 }, 'Permit 12 days late'],
  [{ kind: 'planned', label: 'Install', time, daysUntil: 3 }, 'Install 2026-02-20'],
  [{ kind: 'open', label: 'Permit submission' }, 'Permit submission'],
  [{ kind: 'unknown' }, '–'],
  [null, ''],
])('describes the next step %j as %j', (step, text) => {
  expect(nextStepText(step, (of) => of.slice(0, 10))).toBe(text)
})

test.each([
  ['2026-03-04T12:00:00.000Z', 'Just now'],
  ['2026-03-04T11:59:01.000Z', 'Just now'],
  ['2026-03-01T12:00:00.000Z', 'At least 3 days'],
])('for a deal first seen in its stage at %s, shows the time in the stage as %s', (seenAt, text) => {
  expect(seenInStage(seenAt, Date.parse('2026-03-04T12:00:00.000Z'), formatIn(utc).formatDuration)).toBe(text)
})

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

test.each([
  [0, ['lopez', 'loper'], 'No exact match for “lobez”; showing similar: Lopez, Loper'],
  [1, ['lopez'], '1 exact match, then similar: Lopez'],
  [12, [], '12 exact matches, then similar'],
])('after %i exact matches, describes %j as %s', (exact, words, text) =>
  expect(similarText(exact, words, 'lobez ')).toBe(text),
)
