import { expect, test } from 'vitest'
import type { DealField } from '#server/deals/deal.ts'
import { attentionHint, changeText, noneWaitsText } from './labels.ts'

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
  ['Ask the project manager to submit funding · 16 days over the usual time', 'unfunded', 1, 30, 16],
  ['Ask the project manager to submit funding · up to 16 days over the usual time', 'unfunded', 2, 30, 16],
  ['Ask for a new install date · 1 day late', 'lateInstall', 1, 1, 1],
  ['Send what is missing · up to 40 days in stage', 'outstandingItems', 3, 40, 26],
  ['Ask the project manager to submit funding', 'unfunded', 1, 14, 0],
  ['Check the cost', 'changedAdders', 1, null, null],
] as const)('%s', (text, name, count, days, daysLate) => {
  expect(attentionHint({ name, count, days, daysLate })).toBe(text)
})

test('open deals without a stage date are not shown as none', () => {
  expect(noneWaitsText(0)).toBe('No open deals.')
  expect(noneWaitsText(18)).toBe('No open deal has a date for its stage.')
})
