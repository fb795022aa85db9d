import { expect, test } from 'vitest'
import { mondayOfWeek, displayedMonday, weekOf } from './periods.ts'

test.each([
  ['2026-11-25', '2026-W48', '2026-11-23'],
  ['2026-11-29', '2026-W48', '2026-11-23'],
  ['2026-11-30', '2026-W49', '2026-11-30'],
  ['2026-01-01', '2026-W01', '2025-12-29'],
  ['2027-01-03', '2026-W53', '2026-12-28'],
  ['2024-12-30', '2025-W01', '2024-12-30'],
])('%s is in week %s', (day, week, monday) => {
  expect(weekOf(day)).toBe(week)
  expect(mondayOfWeek(week)).toBe(monday)
})

test.each(['2026-W00', '2025-W53', '2026-W54', '2026-48', '1999-W01', '2026-W1', 'next'])(
  'rejects %s as a week',
  (week) => expect(mondayOfWeek(week)).toBeNull(),
)

test('shows the previous week on Mondays', () => {
  expect(displayedMonday('2026-11-30')).toBe('2026-11-23')
  expect(displayedMonday('2026-12-01')).toBe('2026-11-30')
  expect(displayedMonday('2026-12-06')).toBe('2026-11-30')
})
