import { expect, test } from 'vitest'
import { formatLimit, formatSpan, toCents } from './units.ts'

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
