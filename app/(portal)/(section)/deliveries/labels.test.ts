import { expect, test } from 'vitest'
import { standingOf } from './labels.ts'

const nowMs = Date.parse('2026-03-01T17:20:00Z')
const after = (minutes: number) => new Date(nowMs + minutes * 60_000)

test.each([
  ['delivered', 1, null, null, 'Delivered with the first attempt.'],
  ['delivered', 3, null, null, 'Delivered after 3 attempts.'],
  ['failed', 10, null, null, 'Given up after 10 attempts. It can be sent again.'],
  ['failed', 0, null, null, 'Not sent: the address was cleared before.'],
  ['waiting', 0, after(0), null, 'Not sent yet: it is about to be sent.'],
  ['waiting', 0, after(5), null, 'Not sent yet: it waits for an earlier event of the same deal.'],
  ['waiting', 1, after(0.5), null, 'Tried once so far: it is tried again in less than a minute.'],
  ['waiting', 2, after(29), null, 'Tried 2 times so far: it is tried again in 29 minutes.'],
  ['waiting', 4, after(299), null, 'Tried 4 times so far: it is tried again in 5 hours.'],
  [
    'waiting',
    4,
    after(-1),
    after(-60),
    'Tried 4 times so far: the address is switched off. It is sent when the address is on again.',
  ],
] as const)('%s, %i attempts', (state, attemptCount, dueAt, switchedOffAt, said) => {
  expect(standingOf({ state, attemptCount, dueAt, switchedOffAt, withdrawnBecause: null }, nowMs)).toBe(said)
})

test.each([
  ['failed', 0, 'moved', 'Deal moved to another partner: not sent.'],
  ['failed', 2, 'unassigned', 'Deal no longer has a partner: stopped after 2 attempts.'],
  ['failed', 1, 'removed', 'Deal removed: stopped after 1 attempt.'],
  ['delivered', 1, 'moved', 'Delivered with the first attempt.'],
] as const)('%s after %i attempts, withdrawn: %s', (state, attemptCount, withdrawnBecause, said) => {
  expect(standingOf({ state, attemptCount, dueAt: null, switchedOffAt: null, withdrawnBecause }, nowMs)).toBe(
    said,
  )
})
