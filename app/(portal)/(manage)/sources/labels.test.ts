import { expect, test } from 'vitest'
import { type SourceLine, progressText, roughly, placeText } from './labels.ts'

test.each([
  [400, '1 s'],
  [89_000, '89 s'],
  [90_000, '2 min'],
  [5_400_000, '2 h'],
])('rounds %i ms to %s', (ms, text) => {
  expect(roughly(ms)).toBe(text)
})

test('progress shows only the counts that are known', () => {
  const line = (values: object) => progressText(values as SourceLine)
  expect(line({ windowRead: 12_400, windowTotal: 50_000, remainingMs: 40_000 })).toBe(
    '12,400 of 50,000 · about 40 s left',
  )
  expect(line({ windowRead: 7, windowTotal: null, remainingMs: null })).toBe('7')
})

test.each([
  [undefined, 'Exists already'],
  [{ likely: [] }, 'New'],
  [{ likely: [], after: null }, 'New, first of its kind'],
  [{ likely: ['Permit', 'Permits'], after: 'Survey' }, 'New, after Survey · like Permit, Permits'],
])('the position label of a stage matches the preview: %j', (added, text) => {
  expect(placeText({ name: 'Plan check', deals: 1, ...(added && { added }) })).toBe(text)
})
