import { expect, test } from 'vitest'
import type { Health, HealthState } from '#server/webhooks/endpoints/health.ts'
import { answerText, endpointStatus } from './labels.ts'

const then = new Date('2026-03-01T12:00:00Z')
const endpoint = (
  state: HealthState,
  because: 'gone' | 'failing' | 'suspended' | null = null,
  events = true,
  answer: string | null = null,
) => ({
  health: { state, since: then, answer } satisfies Health,
  failingSince: events ? then : null,
  switchedOffBecause: because,
})

test.each<[Parameters<typeof endpointStatus>[0], string]>([
  [undefined, 'Not set'],
  [endpoint('untried'), 'Not tested'],
  [endpoint('checked'), 'Ready'],
  [endpoint('working'), 'Active'],
  [endpoint('slowed'), 'Slowed'],
  [endpoint('failing'), 'Failing'],
  [endpoint('off', 'failing'), 'Switched off'],
  [endpoint('paused', 'suspended'), 'Paused'],
])('%o is %s', (given, label) => {
  expect(endpointStatus(given).label).toBe(label)
})

test.each([
  [endpoint('off', 'gone'), '410'],
  [endpoint('off', 'failing'), '5 days'],
  [endpoint('paused', 'suspended'), 'The installer suspended'],
  [endpoint('slowed', null, true, '429'), 'Slowed: the endpoint answers 429.'],
  [endpoint('failing'), 'Events are retried'],
  [endpoint('failing', null, false), 'The last test failed'],
])('%o mentions %s', (given, said) => {
  expect(endpointStatus(given).text).toContain(said)
})

test.each([
  ['500', 'Status 500'],
  ['connection refused', 'Connection refused'],
])('the response %s reads %s', (answer, text) => {
  expect(answerText(answer)).toBe(text)
})
