import { expect, test, describe } from 'vitest'
import { type Zone, utc } from '#server/values/zone.ts'
import { formatBytes } from './format-bytes.ts'
import { formatDay, formatDays, formatDollars, formatDollarsShort, formatIn, formatSum } from './format.ts'

const vegas = 'America/Los_Angeles' as Zone
const nowMs = Date.parse('2026-11-22T14:17:00.000Z')

test('sums dollars independently of order', () => {
  for (const sum of [3_918_756.5, 3_918_756.499999998, 3_918_756.500000002])
    expect([formatDollars(sum), formatDollarsShort(sum)]).toEqual(['$3,918,757', '$3.9M'])
})

test('shows a dash for the dollars of deals that have no amount', () => {
  expect(formatSum({ count: 2, amount: 0 })).toBe('–')
  expect(formatSum({ count: 0, amount: 0 })).toBe('$0')
  expect(formatSum({ count: 2, amount: 36_800 })).toBe('$37K')
  expect(formatSum({ count: 2, amount: 36_800 }, formatDollars)).toBe('$36,800')
  expect(formatSum({ count: 2, amount: 0 }, formatDollars)).toBe('–')
})

test.each([
  ['2026-01-01T07:30:00.000Z', vegas, 'Dec 31, 2025'],
  ['2026-01-01T08:30:00.000Z', vegas, 'Jan 1'],
  ['2026-01-01T07:30:00.000Z', utc, 'Jan 1'],
])('formats the day of %s in %s as %s, with the year unless it is the current year', (time, zone, day) => {
  expect(formatDay(time, Date.parse('2026-06-01T12:00:00.000Z'), zone)).toBe(day)
})

test.each([
  ['2026-03-04', '2026-05-20', 'Mar 4 – May 20'],
  ['2027-03-04', '2027-05-20', 'Mar 4 – May 20, 2027'],
  ['2026-12-19', '2027-01-07', 'Dec 19 – Jan 7, 2027'],
  ['2027-03-04', '2027-03-04', 'Mar 4, 2027'],
])('formats the days from %s to %s as %s, with a shared year shown once', (from, to, days) => {
  expect(formatDays(from, to, nowMs, vegas)).toBe(days)
})

describe('formats ages and start times', () => {
  test.each([
    // The current time in this zone is 6:17 a.m.
    ['2026-11-22T14:16:30.000Z', vegas, 'just now', 'less than a minute'],
    ['2026-11-22T13:17:00.000Z', vegas, '1 hour ago', '1 hour'],
    ['2026-11-21T15:00:00.000Z', vegas, '23 hours ago', '23 hours'],
    ['2026-11-21T14:00:00.000Z', vegas, 'yesterday', '1 day'],
    ['2026-11-21T02:00:00.000Z', vegas, '2 days ago', '2 days'],
    ['2026-11-21T02:00:00.000Z', utc, 'yesterday', '1 day'],
    // A date without a time is the same day in every zone.
    ['2026-11-20T00:00:00.000Z', vegas, '2 days ago', '2 days'],
  ])('formats %s in %s as the age %s and the duration %s', (time, zone, ago, duration) => {
    const { formatAgo, formatDuration } = formatIn(zone)
    expect([formatAgo(time, nowMs), formatDuration(time, nowMs)]).toEqual([ago, duration])
  })
})

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1 KB'],
  [4213, '4 KB'],
  [48_213, '48 KB'],
  [999_499, '999 KB'],
  [1_340_000, '1.3 MB'],
  [999_990, '1 MB'],
  [5_000_000_000, '5 GB'],
  [2e15, '2,000 TB'],
])('formats %d bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))
