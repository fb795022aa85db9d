import { expect, test } from 'vitest'
import { gapText } from './gap-text.ts'

test.each([
  [0, null, 'the same day'],
  [2, null, '2 days later'],
  [1, 'CAD design', '1 day after CAD design'],
  [0, 'Notice to proceed', 'the same day as notice to proceed'],
  [14, 'Created', '14 days after creation'],
])('describes %s days after %j as %j', (days, after, text) => {
  expect(gapText({ days, after })).toBe(text)
})
