import { expect, test } from 'vitest'
import { soFarText } from './so-far-text.ts'

test('does not call 18 hours across midnight a day', () => {
  expect([0, 1, 2].map(soFarText)).toEqual(['since today', 'since yesterday', '2 days so far'])
})
