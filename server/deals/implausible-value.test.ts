import { describe, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { dataIssuesOf } from './data-issue.ts'
import {
  isImplausibleAmount,
  isImplausibleAmountText,
  isImplausiblePhone,
  isImplausibleSize,
  isImplausibleState,
  isImplausibleZip,
  implausibleDatesOf,
} from './implausible-value.ts'
import { amountMax, sizeMaxKw } from './policy.ts'

const hostile = [' '.repeat(10_000), '9'.repeat(100_000)]

describe('accepts plausible values', () => {
  test.each([0, 30_800.5, amountMax])('the amount %d', (amount) =>
    expect(isImplausibleAmount(amount)).toBe(false),
  )

  test.each(['', '30800.00', '$30,800', '0', 'cash', 'n/a'])('the loan %j', (text) =>
    expect(isImplausibleAmountText(text)).toBe(false),
  )

  test.each(['', '8.80', ' 8.8 kW', '0.4', String(sizeMaxKw), 'TBD'])('the size %j', (text) =>
    expect(isImplausibleSize(text)).toBe(false),
  )

  test.each([
    '',
    ' ',
    '85007',
    ' 85007 ',
    '85007-1234',
    '850071234',
    '02134',
    'K1A 0B1',
    'k1a0b1',
    'V6B-4Y8',
    ' h2x 1y4 ',
  ])('the ZIP code %j', (text) => expect(isImplausibleZip(text)).toBe(false))

  test.each([
    '',
    ' ',
    'AZ',
    'az',
    ' Az. ',
    'Arizona',
    'NEW YORK',
    'D.C.',
    'Washington, D.C.',
    'PR',
    'Guam',
    'VI',
  ])('the state %j', (text) => expect(isImplausibleState(text)).toBe(false))

  test.each([
    '',
    ' ',
    '(602) 555-0147',
    '6025550147',
    '602.555.0147',
    '602/555-0147',
    '1-602-555-0147',
    '+1 (602) 555-0147',
    '+16025550147',
    '602-555-0147 x12',
    '(602) 555-0147 ext. 1234',
    '602-555-0147 #5',
    'Cell 602-555-0147',
    '602-555-0147 (cell)',
    '602-555-0147, 602-555-0148',
    '602-555-0147 / 602-555-0148',
    '1 602-555-0147 / 1 602-555-0148',
    '+44 20 7946 0958',
    '+52 55 1234 5678',
  ])('the phone number %j', (text) => expect(isImplausiblePhone(text)).toBe(false))
})

describe('rejects implausible values', () => {
  test.each([-0.01, -5000, amountMax + 1, 3_080_000_000])('the amount %d', (amount) =>
    expect(isImplausibleAmount(amount)).toBe(true),
  )

  test.each(['-5000', '$-5,000.00', '99999999'])('the loan %j', (text) =>
    expect(isImplausibleAmountText(text)).toBe(true),
  )

  test.each(['0', '0.00 kW', '8800', '99999'])('the size %j', (text) =>
    expect(isImplausibleSize(text)).toBe(true),
  )

  test.each([
    '852011',
    '2134',
    '85007-12',
    '8500A',
    'Mesa',
    '85007.0',
    '85007--1234',
    'D1A 0B1',
    'K1A 0B',
    hostile[1]!,
  ])('the ZIP code %j', (text) => expect(isImplausibleZip(text)).toBe(true))

  test.each(['ZZ', 'Bavaria', 'Arizonia', '4', 'constructor', hostile[1]!])('the state %j', (text) =>
    expect(isImplausibleState(text)).toBe(true),
  )

  test.each([
    '555-0147',
    '602-555-014',
    '602-555-01478',
    '123',
    'n/a',
    '+1 602 555 014',
    '+44 20',
    hostile[1]!,
  ])('the phone number %j', (text) => expect(isImplausiblePhone(text)).toBe(true))

  test('ignores blank values', () => {
    for (const isImplausible of [
      isImplausibleAmountText,
      isImplausibleSize,
      isImplausibleZip,
      isImplausibleState,
      isImplausiblePhone,
    ])
      expect(isImplausible(hostile[0]!)).toBe(false)
  })
})

test('rejects dates before 2000 or more than ten years ahead', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  expect(
    implausibleDatesOf(
      {
        createDate: '1999-12-31T23:59:59.999Z',
        cadRequested: '2000-01-01T00:00:00.000Z',
        permitReceived: '0000-01-01T00:00:00.000Z',
        installedScheduled: '2036-03-01T12:00:00.000Z',
        installComplete: '2036-03-01T12:00:00.001Z',
        reSignDate: null,
      },
      now,
    ),
  ).toEqual(['createDate', 'installComplete', 'permitReceived'])
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
