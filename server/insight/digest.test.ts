import { expect, test } from 'vitest'
import { type Zone, utc } from '../values/zone.ts'
import { digestDue } from './digest.ts'

// 2026-11-30 is a Monday.
test.each([
  ['2026-11-30T06:59:00Z', utc, null, null],
  ['2026-11-30T07:00:00Z', utc, null, '2026-11-30'],
  ['2026-11-30T07:00:00Z', utc, '2026-11-23', '2026-11-30'],
  ['2026-11-30T23:59:00Z', utc, null, '2026-11-30'],
  ['2026-11-30T12:00:00Z', utc, '2026-11-30', null],
  // No worker ran on this Monday.
  ['2026-12-01T03:00:00Z', utc, '2026-11-23', '2026-11-30'],
  ['2026-12-02T23:00:00Z', utc, null, '2026-11-30'],
  ['2026-12-03T00:00:00Z', utc, null, null],
  ['2026-12-01T07:00:00Z', utc, '2026-11-30', null],
  ['2026-11-29T12:00:00Z', utc, null, null],
  ['2026-11-30T14:59:00Z', 'America/Los_Angeles', null, null],
  ['2026-11-30T15:00:00Z', 'America/Los_Angeles', null, '2026-11-30'],
  ['2026-11-29T18:00:00Z', 'Pacific/Kiritimati', null, '2026-11-30'],
] as const)('at %s in %s, when last sent for %s, the digest of %s is due', (now, zone, sentOn, monday) => {
  expect(digestDue(new Date(now), zone as Zone, sentOn)).toBe(monday)
})
