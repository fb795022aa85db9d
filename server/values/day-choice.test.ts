import { expect, test } from 'vitest'
import { textOfDays } from '#app/(portal)/deals/list-href.ts'
import { dayWindows, daysOfWindow, windowSince, isDay, parseDays } from './day-choice.ts'
import { addDays } from './zone.ts'

test.each([
  ['last-7-days', { from: '2026-03-09', to: '2026-03-15' }],
  ['this-week', { from: '2026-03-09', to: '2026-03-15' }],
  ['since-friday', { from: '2026-03-13', to: '2026-03-15' }],
  ['next-30-days', { from: '2026-03-15', to: '2026-04-13' }],
  ['over-30-days', { to: '2026-02-12' }],
  ['8-to-30-days', { from: '2026-02-13', to: '2026-03-07' }],
  ['30-to-8-days', null],
  ['this-month', { from: '2026-03-01', to: '2026-03-31' }],
  ['last-month', { from: '2026-02-01', to: '2026-02-28' }],
  ['this-year', { from: '2026-01-01', to: '2026-12-31' }],
  ['2026-01-01..2026-02-01', { from: '2026-01-01', to: '2026-02-01' }],
  ['..2026-02-01', { to: '2026-02-01' }],
  ['2026-01-01..', { from: '2026-01-01' }],
  ['..', null],
  ['2026-02-30..', null],
  ['last-0-days', null],
  ['last-99999-days', null],
  ['soon', null],
])('returns the days of %s on 2026-03-15', (text, days) => {
  expect(parseDays(text, '2026-03-15')).toEqual(days)
})

test('formats days as text that can be parsed', () => {
  expect(textOfDays({ from: '2026-01-01' })).toBe('2026-01-01..')
  expect(textOfDays({})).toBeNull()
  expect(['2024-02-29', '2025-02-29', '0000-01-01', '2024-2-1', 'x'].map(isDay)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})

test.each([
  // A Wednesday, followed by a Friday, a Sunday, and a Monday.
  ['2026-11-25', '2026-11-23', '2026-11-20'],
  ['2026-11-27', '2026-11-23', '2026-11-20'],
  ['2026-11-29', '2026-11-23', '2026-11-27'],
  ['2026-11-30', '2026-11-30', '2026-11-27'],
  ['2026-01-01', '2025-12-29', '2025-12-26'],
])('on %s the week began on %s, and the previous Friday was %s', (today, monday, friday) => {
  expect(daysOfWindow('this-week', today)).toEqual({ from: monday, to: addDays(monday, 6) })
  expect(daysOfWindow('since-friday', today)).toEqual({ from: friday, to: today })
})

test('windows end today, except for yesterday and the previous week', () => {
  const days = (window: (typeof dayWindows)[number]) => daysOfWindow(window, '2026-03-01')
  expect(days('today')).toEqual({ from: '2026-03-01', to: '2026-03-01' })
  expect(days('yesterday')).toEqual({ from: '2026-02-28', to: '2026-02-28' })
  expect(days('last-2-days')).toEqual({ from: '2026-02-28', to: '2026-03-01' })
  expect(days('last-7-days')).toEqual({ from: '2026-02-23', to: '2026-03-01' })
  expect(days('last-30-days')).toEqual({ from: '2026-01-31', to: '2026-03-01' })
})

test.each([
  ['2026-11-30', 'today'],
  ['2026-11-29', 'last-2-days'],
  ['2026-11-28', 'since-friday'],
  ['2026-11-27', 'since-friday'],
  ['2026-11-24', 'last-7-days'],
  ['2026-11-23', 'last-30-days'],
  ['2026-01-01', 'last-30-days'],
])('on a Monday, an event since %s is in the window %s', (day, window) => {
  expect(windowSince(day, '2026-11-30')).toBe(window)
})
