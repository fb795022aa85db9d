import { expect, test } from 'vitest'
import { textOfDays } from '#app/(portal)/deals/list-href.ts'
import { isDay, parseDays } from './day-choice.ts'

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
