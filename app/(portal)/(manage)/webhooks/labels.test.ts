import { expect, test } from 'vitest'
import type { Health, HealthState } from '#server/webhooks/health.ts'
import { endpointStatus } from './labels.ts'

const then = new Date('2026-03-01T12:00:00Z')
const endpoint = (
  state: HealthState,
  because: 'gone' | 'failing' | 'suspended' | null = null,
  hasFailedEvents = true,
  answer: string | null = null,
) => ({
  health: { state, since: then, answer } satisfies Health,
  failingSince: hasFailedEvents ? then : null,
  switchedOffBecause: because,
})

test.each<[Parameters<typeof endpointStatus>[0], string, string]>([
  [undefined, 'Not set', 'recorded'],
  [endpoint('off', 'gone'), 'Switched off', '410'],
  [endpoint('off', 'failing'), 'Switched off', '5 days'],
  [endpoint('paused', 'suspended'), 'Paused', 'The installer suspended'],
  [endpoint('slowed', null, true, '429'), 'Slowed', 'responds with 429'],
  [endpoint('failing'), 'Failing', 'Events are retried'],
  [endpoint('failing', null, false), 'Failing', 'The last test failed'],
])('the endpoint %o is %s, with an explanation', (status, label, reason) => {
  expect(endpointStatus(status).label).toBe(label)
  expect(endpointStatus(status).text).toContain(reason)
})
