import { expect, test } from 'vitest'
import { placeText } from './place-text.ts'

test.each([
  [undefined, 'Here already'],
  [{ likely: [] }, 'New'],
  [{ likely: [], after: null }, 'New, first of its kind'],
  [{ likely: ['Permit', 'Permits'], after: 'Survey' }, 'New, after Survey · like Permit, Permits'],
])('the place of a stage: %j', (added, text) => {
  expect(placeText({ name: 'Plan check', deals: 1, ...(added && { added }) })).toBe(text)
})
