import { expect, test } from 'vitest'
import { formatIn } from '#app/ui/format.ts'
import { utc } from '#server/protocol/zone.ts'
import { spanText } from './span-text.ts'

const nowMs = Date.parse('2026-03-15T12:00:00.000Z')

test.each([
  // Yesterday on the calendar, and less than a day long.
  ['2026-03-14T21:00:00.000Z', 'for 15 hours', '15 hours so far', '15 hours ago'],
  ['2026-03-14T00:00:00.000Z', 'for 1 day', '1 day so far', '1 day ago'],
  ['2026-03-13T12:00:00.000Z', 'for 2 days', '2 days so far', '2 days ago'],
  // A day without a time.
  ['2026-03-15T00:00:00.000Z', 'since today', 'since today', 'today'],
])('what began at %s goes on %s, has %s, and began %s', (time, going, soFar, ago) => {
  expect(spanText(time, nowMs, formatIn(utc))).toEqual({ going, soFar, ago })
})
