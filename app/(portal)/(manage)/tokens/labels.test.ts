import { expect, test } from 'vitest'
import { formatIn } from '#app/ui/format.ts'
import { utc } from '#server/values/zone.ts'
import { revokeText } from './labels.ts'

const nowMs = Date.parse('2026-03-01T12:00:00Z')
const at = new Date(nowMs - 4 * 60_000)

test.each([
  [
    { at, from: '203.0.113.9', by: 'curl' },
    'Used 4 minutes ago from 203.0.113.9 by curl, 312 requests today. Clients using it are rejected immediately.',
  ],
  [
    { at, from: null, by: null },
    'Used 4 minutes ago, 312 requests today. Clients using it are rejected immediately.',
  ],
  [null, 'Never used. Clients using it are rejected immediately.'],
])('the warning before revoking a token names its last use: %o', (lastUse, text) => {
  const requests = { today: 312, week: 2000, weekErrors: 0 }
  expect(revokeText({ lastUse, requests }, nowMs, formatIn(utc))).toBe(text)
})
