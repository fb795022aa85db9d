import { describe, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import {
  implausibleDatesOf,
  isImplausibleAmount,
  isImplausibleAmountText,
  isImplausiblePhone,
  isImplausibleSize,
  isImplausibleState,
  isImplausibleZip,
} from './data-issue-rules.ts'
import { dataIssuesOf } from './data-issue.ts'
import { amountMax, sizeMaxKw } from './policy.ts'

const [blank, endless] = [' '.repeat(10_000), '9'.repeat(100_000)]

const phones = [
  '(602) 555-0147',
  '6025550147',
  '602.555.0147',
  '602/555-0147',
  '1-602-555-0147',
  '+1 (602) 555-0147',
  '602-555-0147 x12',
  '(602) 555-0147 ext. 1234',
  '602-555-0147 #5',
  'Cell 602-555-0147',
  '602-555-0147, 602-555-0148',
  '602-555-0147 / 602-555-0148',
  '1 602-555-0147 / 1 602-555-0148',
  '602-555-0147 (cell)',
  '+44 20 7946 0958',
  '+52 55 1234 5678',
]

describe.each<[string, (text: string) => boolean, plausible: string[], implausible: string[]]>([
  [
    'loan amount',
    isImplausibleAmountText,
    ['30800.00', '$30,800', '0', 'cash', 'n/a'],
    ['-5000', '$-5,000.00', '99999999'],
  ],
  [
    'system size',
    isImplausibleSize,
    ['8.80', ' 8.8 kW', '0.4', String(sizeMaxKw), 'TBD'],
    ['0', '0.00 kW', '8800', '99999'],
  ],
  [
    'ZIP code',
    isImplausibleZip,
    ['85007', ' 85007 ', '85007-1234', '850071234', '02134', 'K1A 0B1', 'k1a0b1', 'V6B-4Y8', ' h2x 1y4 '],
    ['852011', '2134', '85007-12', '8500A', 'Mesa', '85007.0', '85007--1234', 'D1A 0B1', 'K1A 0B', endless],
  ],
  [
    'state',
    isImplausibleState,
    ['AZ', 'az', ' Az. ', 'Arizona', 'NEW YORK', 'D.C.', 'Washington, D.C.', 'PR', 'Guam', 'VI'],
    ['ZZ', 'Bavaria', 'Arizonia', '4', 'constructor', endless],
  ],
  [
    'phone number',
    isImplausiblePhone,
    phones,
    ['555-0147', '602-555-014', '602-555-01478', '123', 'n/a', '+1 602 555 014', '+44 20', endless],
  ],
])('a %s', (_, isImplausible, plausible, implausible) => {
  test.each(['', ' ', blank, ...plausible])('is plausible: %j', (text) =>
    expect(isImplausible(text)).toBe(false),
  )
  test.each(implausible)('is implausible: %j', (text) => expect(isImplausible(text)).toBe(true))
})

test.each([
  [0, false],
  [30_800.5, false],
  [amountMax, false],
  [-0.01, true],
  [amountMax + 1, true],
])('an amount of %d is implausible: %s', (amount, is) => expect(isImplausibleAmount(amount)).toBe(is))

test('dates before 2000 or more than ten years ahead are implausible', () => {
  const dates = {
    createDate: '1999-12-31T23:59:59.999Z',
    cadRequested: '2000-01-01T00:00:00.000Z',
    permitReceived: '0000-01-01T00:00:00.000Z',
    installedScheduled: '2036-03-01T12:00:00.000Z',
    installComplete: '2036-03-01T12:00:00.001Z',
    reSignDate: null,
  }
  const found = implausibleDatesOf(dates, new Date('2026-03-01T12:00:00Z'))
  expect(found).toEqual(['createDate', 'installComplete', 'permitReceived'])
})

test('no demo deal has an implausible value', () => {
  const now = new Date('2026-03-05T18:20:00Z')
  const found = demoPartners.flatMap((partner) =>
    [...demoDeals({ partner, count: 200, firstId: partner.firstId, now })].flatMap((deal) =>
      dataIssuesOf(deal, now),
    ),
  )
  expect(found).toEqual([])
})
