import { expect, test } from 'vitest'
import { soFarText } from './so-far-text.ts'

test('what began 18 hours ago, before midnight, is not said to be a day long', () => {
  expect([0, 1, 2].map(soFarText)).toEqual(['since today', 'since yesterday', '2 days so far'])
})
