import { expect, test } from 'vitest'
import { formatIn } from '#app/ui/format.ts'
import { utc } from '#server/values/zone.ts'
import { revokeText, whoUsed } from './labels.ts'

const nowMs = Date.parse('2026-03-01T12:00:00Z')
const requests = { today: 312, week: 2000, weekErrors: 0 }

test('the effect of revoking a token names its last use', () => {
  const at = new Date(nowMs - 4 * 60_000)
  expect(
    revokeText({ lastUse: { at, from: '203.0.113.9', by: 'curl' }, requests }, nowMs, formatIn(utc)),
  ).toBe(
    'Used 4 minutes ago from 203.0.113.9 by curl, 312 requests today. Clients using it are rejected immediately.',
  )
  expect(
    revokeText(
      { lastUse: { at, from: null, by: null }, requests: { ...requests, today: 1 } },
      nowMs,
      formatIn(utc),
    ),
  ).toBe('Used 4 minutes ago, 1 request today. Clients using it are rejected immediately.')
  expect(revokeText({ lastUse: null, requests }, nowMs, formatIn(utc))).toBe(
    'Never used. Clients using it are rejected immediately.',
  )
})

test('the last use shows the known IP address and client', () => {
  const at = new Date(nowMs)
  expect(whoUsed({ at, from: '::1', by: null })).toBe('from ::1')
  expect(whoUsed({ at, from: null, by: 'Firefox on Linux' })).toBe('by Firefox on Linux')
})
