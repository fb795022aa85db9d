import { expect, test } from 'vitest'
import { usualText } from './flow-labels.ts'

test('shows the median and the 80th percentile', () => {
  expect(usualText({ median: 6, slow: 9 })).toBe('Typically 6 days, 80% within 9')
  expect(usualText({ median: 1, slow: 1 })).toBe('Typically 1 day')
})
