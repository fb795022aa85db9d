import { expect, test } from 'vitest'
import { retryAfterMs, formatLimit, formatSpan, tallyOf, toCents } from './units.ts'

test.each([
  [250, '0.25 seconds'],
  [1000, '1 second'],
  [90_000, '90 seconds'],
  [300_000, '5 minutes'],
  [86_400_000, '24 hours'],
  [129_600_000, '36 hours'],
  [172_800_000, '2 days'],
])('formats %i ms as %s', (ms, text) => {
  expect(formatSpan(ms)).toBe(text)
})

test.each([
  [1000, '1000 bytes'],
  [1_048_576, '1 MiB'],
  [1_572_864, '1536 KiB'],
  [1_073_741_824, '1 GiB'],
])('formats %i bytes as %s', (bytes, text) => {
  expect(formatLimit(bytes)).toBe(text)
})

test.each([
  [0.1 + 0.2, 0.3],
  [1e9 + 0.07 + 0.01, 1_000_000_000.08],
  [-0.1 - 0.2, -0.3],
  [31_050.123, 31_050.12],
  [25_199.999_999_999_996, 25_200],
  [18_400.005, 18_400.01],
  [9_007_199_254_740_994, 9_007_199_254_740_994],
  [1e308, 1e308],
])('%d dollars are %d cents', (dollars, cents) => expect(toCents(dollars)).toBe(cents))

test('Retry-After is parsed as seconds and in all HTTP date formats', () => {
  const now = Date.UTC(2026, 2, 1, 17, 20, 5)
  for (const [header, ms] of [
    ['9999999999', 9_999_999_999_000],
    [' 7 ', 7000],
    ['5.5', 5500],
    ['0', 0],
    [new Date(now + 90_000).toUTCString(), 90_000],
    ['Sunday, 01-Mar-26 17:20:06 GMT', 1000],
    ['Sun, 01 Mar 2026 17:20:04 GMT', 0],
    ...[null, '', '-1', '1e3', '0x10', '12345678901', 'soon', '2026-03-01T17:20:06Z', 'Sun, 99 Foo 2026'].map(
      (invalid) => [invalid, null] as const,
    ),
  ] as const)
    expect(retryAfterMs(header, now), String(header)).toBe(ms)
})

test('rounds sums of dollars to cents', () => {
  const amounts = [0.1, 0.2, 36_739.05, 18_400.5]
  expect(tallyOf(amounts.map((amount) => ({ count: 1, amount })))).toEqual({ count: 4, amount: 55_139.85 })
})
