import { expect, test } from 'vitest'
import { type DealGroup, answerOf, stagesOf, tallyOf, weekCountsOf } from './group.ts'

const group = (stage: string, count: number, more: Partial<DealGroup> = {}): DealGroup => ({
  stage,
  count,
  amount: count * 100,
  asked: 0,
  created: null,
  installed: null,
  funded: null,
  progress: 0,
  ...more,
})

test('stages come as far as their deals are, those at the end last', () => {
  const groups = [
    group('Cancelled', 1),
    group('Install', 1, { progress: 9 }),
    group('', 1, { progress: 1 }),
    group('Survey', 2, { progress: 4 }),
    group('Install', 3, { progress: 27 }),
  ]
  expect(stagesOf(groups)).toEqual([
    { stage: '', count: 1, amount: 100, isClosed: false },
    { stage: 'Survey', count: 2, amount: 200, isClosed: false },
    { stage: 'Install', count: 4, amount: 400, isClosed: false },
    { stage: 'Cancelled', count: 1, amount: 100, isClosed: true },
  ])
  expect(tallyOf(groups)).toEqual({ count: 8, amount: 800 })
})

test('a question counts those it asks for, and of those at the end none that are to be open', () => {
  const groups = [
    group('Survey', 2, { asked: 0b11 }),
    group('Cancelled', 3, { asked: 0b10 }),
    group('Survey', 4, { asked: 0b01 }),
  ]
  expect(answerOf(groups, 0, true)).toEqual({ count: 6, amount: 600 })
  expect(answerOf(groups, 1, true)).toEqual({ count: 2, amount: 200 })
  expect(answerOf(groups, 1, false)).toEqual({ count: 5, amount: 500 })
})

test('weeks count what happened in them, and not what is dated ahead', () => {
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
