import { expect, test } from 'vitest'
import type { DealField } from '#server/deals/deal.ts'
import { changeText, howLate } from './labels.ts'

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

test.each([
  ['16 days over the usual time', 'unfunded', 30, 16],
  ['1 day late', 'lateInstall', 1, 1],
  ['40 days in stage', 'outstandingItems', 40, 26],
  ['', 'unfunded', 14, 0],
  ['', 'changedAdders', null, null],
] as const)('%j', (text, name, days, daysLate) => {
  expect(howLate({ name, days, daysLate })).toBe(text)
})
