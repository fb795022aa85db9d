import { expect, test } from 'vitest'
import type { DealField } from '#server/deals/deal.ts'
import { attentionNames, questionsOf } from '#server/insight/question.ts'
import { attentionLabels, changeText, howLate } from './labels.ts'

const stage = { from: 'A', to: 'B' }

test.each<[string, { stage?: typeof stage | null; fields?: DealField[] }]>([
  ['', { stage }],
  ['and Amount', { stage, fields: ['amount'] }],
  ['and 2 more', { stage, fields: ['amount', 'city'] }],
  ['Amount changed', { fields: ['amount'] }],
  ['Amount and City changed', { fields: ['amount', 'city'] }],
  ['Amount, City and 2 more changed', { fields: ['amount', 'city', 'state', 'zipCode'] }],
  ['Changed and reverted', {}],
])('describes changes as %j', (text, line) => {
  expect(changeText({ stage: null, fields: [], ...line })).toBe(text)
})

test.each([
  ['16 days over the usual time', 'unfunded', 30, 16],
  ['1 day late', 'lateInstall', 1, 1],
  ['40 days in stage', 'outstandingItems', 40, 26],
  ['', 'unfunded', 14, 0],
  ['', 'changedAdders', null, null],
] as const)('describes the delay as %j', (text, name, days, daysLate) => {
  expect(howLate({ name, days, daysLate })).toBe(text)
})

test("a reason that counts only some of Money's deals states its minimum number of days", () => {
  const questions = questionsOf('2026-03-15')
  const ofGates = attentionNames.filter((name) => questions[name].filter.gates !== undefined)
  expect(ofGates.map((name) => attentionLabels[name].title)).toEqual([
    'Funding not submitted in 14 days',
    'M2 not approved in 14 days',
  ])
})
