import { expect, test } from 'vitest'
import { patched } from '../active-filters.ts'
import { readDealsQuery } from '../query.ts'
import { dateChoiceOf, withDateChoice } from './date-choice.ts'

test('changes can only be filtered by day', () => {
  const state = readDealsQuery(new URLSearchParams('moved=since-friday&has=permitReceived'))
  expect(dateChoiceOf(state, 'moved')).toBe('since-friday')
  expect(dateChoiceOf(state, 'updated')).toBe('any')
  const after = patched(state, withDateChoice(state, 'moved', 'yesterday'))
  expect([after.moved, after.has]).toEqual(['yesterday', ['permitReceived']])
  expect(patched(state, withDateChoice(state, 'moved', 'any')).moved).toBeNull()
})

test.each(['any', 'is set', 'no date', 'last-7-days', '2026-01-01..'])(
  'replaces the filter %s and keeps the other date filters',
  (choice) => {
    for (const before of ['', 'has=permitReceived', 'lacks=permitReceived', 'permitReceived=this-year']) {
      const state = readDealsQuery(new URLSearchParams(`${before}&ntpApproved=..2026-02-01`))
      const after = patched(state, withDateChoice(state, 'permitReceived', choice))
      expect(dateChoiceOf(after, 'permitReceived')).toBe(choice)
      expect(dateChoiceOf(after, 'ntpApproved')).toBe('..2026-02-01')
    }
  },
)
