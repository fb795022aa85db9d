import { expect, test } from 'vitest'
import { formatIn } from '#app/ui/format.ts'
import { utc } from '#server/values/zone.ts'
import { seenInStage } from './in-stage.ts'

test.each([
  ['2026-03-04T12:00:00.000Z', 'Just now'],
  ['2026-03-04T11:59:01.000Z', 'Just now'],
  ['2026-03-01T12:00:00.000Z', 'At least 3 days'],
])('a deal seen in its stage since %s has been there: %s', (seenAt, text) => {
  expect(seenInStage(seenAt, Date.parse('2026-03-04T12:00:00.000Z'), formatIn(utc).formatDuration)).toBe(text)
})
