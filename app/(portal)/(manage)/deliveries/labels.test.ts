import { expect, test } from 'vitest'
import { describeProgress, describeRetry } from './labels.ts'

const nowMs = Date.parse('2026-03-01T17:20:00Z')
const after = (minutes: number) => new Date(nowMs + minutes * 60_000)

test.each([
  ['delivered', 1, null, {}, 'Delivered on the first attempt.'],
  ['delivered', 3, null, { withdrawnBecause: 'moved' }, 'Delivered after 3 attempts.'],
  ['failed', 10, null, {}, 'Failed after 10 attempts. You can resend it.'],
  ['failed', 0, null, {}, 'Not sent: the endpoint URL was removed.'],
  ['failed', 0, null, { withdrawnBecause: 'moved' }, 'Deal moved to another partner: not sent.'],
  ['failed', 1, null, { withdrawnBecause: 'removed' }, 'Deal removed: stopped after 1 attempt.'],
  ['waiting', 0, after(0), {}, 'Not sent yet. Sending soon.'],
  ['waiting', 0, after(5), {}, 'Not sent yet. Waiting for an earlier event of the same deal.'],
  ['retrying', 1, after(0.5), {}, '1 attempt so far. Next attempt in less than a minute.'],
  ['retrying', 4, after(299), {}, '4 attempts so far. Next attempt in 5 hours.'],
  [
    'retrying',
    4,
    after(-1),
    { switchedOffAt: after(-60) },
    '4 attempts so far. Sent once the endpoint is switched back on.',
  ],
] as const)(
  'the label of a delivery (%s after %i attempts, due at %s, %o) is %s',
  (state, attemptCount, dueAt, more, text) => {
    const delivery = { state, attemptCount, dueAt, switchedOffAt: null, withdrawnBecause: null, ...more }
    expect(describeProgress(delivery, nowMs)).toBe(text)
  },
)

test.each([
  [500, after(4), '500 · next in 4 minutes'],
  [null, after(-1), 'No response · next soon'],
])('labels the retry after %s', (lastStatus, dueAt, text) => {
  expect(describeRetry({ lastStatus, dueAt }, nowMs)).toBe(text)
})
