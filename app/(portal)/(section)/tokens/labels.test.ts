import { expect, test } from 'vitest'
import { revokeText, whoUsed } from './labels.ts'

const nowMs = Date.parse('2026-03-01T12:00:00Z')
const requests = { today: 312, week: 2000, weekErrors: 0 }

test('what breaks with a token is told by its last use', () => {
  const at = new Date(nowMs - 4 * 60_000)
  expect(revokeText({ lastUse: { at, from: '203.0.113.9', by: 'curl' }, requests }, nowMs)).toBe(
    'Used 4 minutes ago from 203.0.113.9 by curl, 312 requests today: whatever uses it stops working at once.',
  )
  expect(
    revokeText({ lastUse: { at, from: null, by: null }, requests: { ...requests, today: 1 } }, nowMs),
  ).toBe('Used 4 minutes ago, 1 request today: whatever uses it stops working at once.')
  expect(revokeText({ lastUse: null, requests }, nowMs)).toBe(
    'It was never used. Whatever holds it is refused from now on.',
  )
})

test('who used it is said as far as it is known', () => {
  const at = new Date(nowMs)
  expect(whoUsed({ at, from: '::1', by: null })).toBe('from ::1')
  expect(whoUsed({ at, from: null, by: 'Firefox on Linux' })).toBe('by Firefox on Linux')
})
