import { expect, test } from 'vitest'
import { makeStageOf } from '../stages/stage.ts'
import { type DealGroup, answerOf, tallyOf, weekCountsOf } from './group.ts'

const group = (stage: string, count: number, more: Partial<DealGroup> = {}): DealGroup => ({
  stage,
  count,
  amount: count * 100,
  matched: 0,
  created: null,
  installed: null,
  funded: null,
  ...more,
})

const stageOf = makeStageOf([
  { name: 'Install', kind: 'open', place: null, order: 20, tone: 'blue' },
  { name: 'Survey', kind: 'open', place: null, order: 10, tone: 'blue' },
  { name: 'Cancelled', kind: 'lost', place: null, order: 5, tone: 'gray' },
])

test('a question counts its deals, excluding closed ones if they must be open', () => {
  const groups = [
    group('Survey', 2, { matched: 0b11 }),
    group('Cancelled', 3, { matched: 0b10 }),
    group('Survey', 4, { matched: 0b01 }),
  ]
  expect(answerOf(groups, stageOf, 0, true)).toEqual({ count: 6, amount: 600 })
  expect(answerOf(groups, stageOf, 1, true)).toEqual({ count: 2, amount: 200 })
  expect(answerOf(groups, stageOf, 1, false)).toEqual({ count: 5, amount: 500 })
})

test('weeks count past events, not future dates', () => {
  const groups = [
    group('A', 2, { created: 0, installed: 1 }),
    group('A', 3, { created: 1, funded: 2 }),
    group('A', 5, { created: 1 }),
  ]
  expect(weekCountsOf(groups, ['2026-03-02', '2026-03-09'])).toEqual([
    { from: '2026-03-02', created: 2, installed: 0, funded: 0 },
    { from: '2026-03-09', created: 8, installed: 2, funded: 0 },
  ])
})

test('sums of dollars have cents, not the digits of doubles', () => {
  const amounts = [0.1, 0.2, 36_739.05, 18_400.5]
  expect(tallyOf(amounts.map((amount) => ({ count: 1, amount })))).toEqual({ count: 4, amount: 55_139.85 })
})
