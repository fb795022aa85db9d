import { expect, test } from 'vitest'
import { describeProgress, describeRetry } from './labels.ts'

const nowMs = Date.parse('2026-03-01T17:20:00Z')
const after = (minutes: number) => new Date(nowMs + minutes * 60_000)

test.each([
  ['delivered', 1, null, null, 'Delivered on the first attempt.'],
  ['delivered', 3, null, null, 'Delivered after 3 attempts.'],
  ['failed', 10, null, null, 'Failed after 10 attempts. You can resend it.'],
  ['failed', 0, null, null, 'Not sent: the endpoint URL was removed.'],
  ['waiting', 0, after(0), null, 'Not sent yet. Sending soon.'],
  ['waiting', 0, after(5), null, 'Not sent yet. Waiting for an earlier event of the same deal.'],
  ['retrying', 1, after(0.5), null, '1 attempt so far. Next attempt in less than a minute.'],
  ['retrying', 2, after(29), null, '2 attempts so far. Next attempt in 29 minutes.'],
  ['retrying', 4, after(299), null, '4 attempts so far. Next attempt in 5 hours.'],
  ['retrying', 4, after(-1), after(-60), '4 attempts so far. Sent once the endpoint is switched back on.'],
] as const)('%s, %i attempts', (state, attemptCount, dueAt, switchedOffAt, said) => {
  expect(describeProgress({ state, attemptCount, dueAt, switchedOffAt, withdrawnBecause: null }, nowMs)).toBe(
    said,
  )
})

test.each([
  ['failed', 0, 'moved', 'Deal moved to another partner: not sent.'],
  ['failed', 2, 'unassigned', 'Deal no longer has a partner: stopped after 2 attempts.'],
  ['failed', 1, 'removed', 'Deal removed: stopped after 1 attempt.'],
  ['delivered', 1, 'moved', 'Delivered on the first attempt.'],
] as const)('%s after %i attempts, withdrawn: %s', (state, attemptCount, withdrawnBecause, said) => {
  expect(
    describeProgress({ state, attemptCount, dueAt: null, switchedOffAt: null, withdrawnBecause }, nowMs),
  ).toBe(said)
})

test.each([
  [500, after(4), '500 · next in 4 minutes'],
  [null, after(0.5), 'No response · next in less than a minute'],
  [503, after(-1), '503 · next soon'],
  [404, null, '404 · next soon'],
])('a retry after %s', (lastStatus, dueAt, said) => {
  expect(describeRetry({ lastStatus, dueAt }, nowMs)).toBe(said)
})
