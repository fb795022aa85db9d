import { expect, test } from 'vitest'
import { type DealsState, readDealsQuery } from '../query.ts'
import { cardsInput, columnsOf } from './columns.ts'

const stateOf = (search: string) => readDealsQuery(new URLSearchParams(search)) as DealsState

test('the cards of a stage are those that the address asks for, longest in the stage first', () => {
  expect(
    cardsInput(stateOf('q=garcia&state=AZ&stage=Install&stage=Inspection'), 'Install', '2026-03-15'),
  ).toMatchObject({
    filter: { search: 'garcia', states: ['AZ'], stages: ['Install'] },
    sort: { field: 'timeInCurrentStage', direction: 'asc' },
    limit: 20,
  })
})

test('the address may order them otherwise', () => {
  expect(cardsInput(stateOf('sort=-amount'), '', '2026-03-15')).toMatchObject({
    filter: { stages: [''] },
    sort: { field: 'amount', direction: 'desc' },
  })
})

test('what waits for nothing any more comes newest first, and last', () => {
  expect(cardsInput(stateOf(''), 'Cancelled', '2026-03-15').sort.direction).toBe('desc')
  const stages = ['Cancelled', 'Survey', 'On Hold', 'Install'].map((stage) => ({
    stage,
    count: 1,
    amount: 0,
  }))
  expect(columnsOf(stages).map(({ stage }) => stage)).toEqual(['Survey', 'Install', 'On Hold', 'Cancelled'])
})

test('deals without a stage are one column', () => {
  expect(
    columnsOf([
      { stage: '', count: 1, amount: 5 },
      { stage: 'Install', count: 3, amount: 9 },
      { stage: null, count: 2, amount: 7 },
    ]),
  ).toEqual([
    { stage: '', count: 3, amount: 12 },
    { stage: 'Install', count: 3, amount: 9 },
  ])
})
