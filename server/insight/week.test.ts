import { expect, test } from 'vitest'
import { weeksUntil } from './week.ts'

test.each([
  ['2026-03-02', '2026-03-02'],
  ['2026-03-08', '2026-03-02'],
  ['2026-03-09', '2026-03-09'],
  ['2026-01-01', '2025-12-29'],
])('%s is in the week of Monday %s', (today, monday) => {
  const weeks = weeksUntil(today)
  expect(weeks).toHaveLength(12)
  expect(weeks.at(-1)).toBe(monday)
  expect(new Set(weeks.map((week) => new Date(week).getUTCDay()))).toEqual(new Set([1]))
  expect(weeks.toSorted()).toEqual(weeks)
})
