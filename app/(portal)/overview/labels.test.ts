import { expect, test } from 'vitest'
import type { DealField } from '#server/deals/deal.ts'
import { changeText } from './labels.ts'

const stage = { from: 'A', to: 'B' }

test.each<[string, { stage?: typeof stage | null; fields?: DealField[] }]>([
  ['', { stage }],
  ['and Amount', { stage, fields: ['amount'] }],
  ['and 2 more', { stage, fields: ['amount', 'city'] }],
  ['Amount changed', { fields: ['amount'] }],
  ['Amount and City changed', { fields: ['amount', 'city'] }],
  ['Amount, City and 2 more changed', { fields: ['amount', 'city', 'state', 'zipCode'] }],
  ['Changed and reverted', {}],
])('%j', (text, line) => {
  expect(changeText({ stage: null, fields: [], ...line })).toBe(text)
})
