import { expect, test } from 'vitest'
import { tallyOf } from './home.ts'

test('rounds sums of dollars to cents', () => {
  const amounts = [0.1, 0.2, 36_739.05, 18_400.5]
  expect(tallyOf(amounts.map((amount) => ({ count: 1, amount })))).toEqual({ count: 4, amount: 55_139.85 })
})
