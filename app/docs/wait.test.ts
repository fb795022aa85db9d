import { expect, test } from 'vitest'
import { formatWait } from './wait.ts'

test.each([
  [0, '0 seconds'],
  [250, '0.25 seconds'],
  [1000, '1 second'],
  [15_000, '15 seconds'],
  [60_000, '1 minute'],
  [90_000, '90 seconds'],
  [300_000, '5 minutes'],
  [3_600_000, '1 hour'],
  [86_400_000, '24 hours'],
])('%i ms are %s', (ms, text) => {
  expect(formatWait(ms)).toBe(text)
})
