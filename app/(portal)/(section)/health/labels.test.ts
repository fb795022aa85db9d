import { expect, test } from 'vitest'
import { formatBounded, formatElapsed, formatShare, replicaText, verdictText } from './labels.ts'

test('counts, shares and durations are formatted', () => {
  expect([
    formatBounded(1200, 100_000),
    formatBounded(100_000, 100_000),
    formatBounded(100_001, 100_000),
  ]).toEqual(['1,200', '100,000', 'more than 100,000'])
  expect([formatShare(0, 0), formatShare(0, 9), formatShare(12, 1000), formatShare(3, 3)]).toEqual([
    'None',
    'None',
    '12 of 1,000 (1.2%)',
    '3 of 3 (100%)',
  ])
  expect([-5, 999, 1000, 59_999, 60_000, 7_200_000, 86_400_000].map(formatElapsed)).toEqual([
    '0 seconds',
    '0 seconds',
    '1 second',
    '59 seconds',
    '1 minute',
    '2 hours',
    '1 day',
  ])
})

test('one sentence says whether all is well', () => {
  expect(verdictText([])).toBe('All is well.')
  expect(verdictText(['noWorker', 'endpoints'])).toBe(
    'Needs attention: no worker is running; endpoints are failing or switched off.',
  )
})

test('the replica is said to be in use, or why not', () => {
  const answered = { replica: 1, primary: 1 }
  const texts = (
    [
      [null, 120],
      ['behind', 7000],
      ['away', null],
      ['no standby', null],
    ] as const
  ).map(([problem, lagMs]) => replicaText({ problem, lagMs, answered }))
  expect(texts).toEqual([
    'In use, 0.1 s behind',
    '7 s behind; reading from the primary',
    'Not responding; reading from the primary',
    'Not a standby; reading from the primary',
  ])
})
