import { expect, test } from 'vitest'
import { type DealsState, readDealsQuery } from '../query.ts'
import { cardsInput } from './columns.ts'

const stateOf = (search: string) => readDealsQuery(new URLSearchParams(search)) as DealsState

test('a column contains the cards selected by the URL', () => {
  const state = stateOf('q=garcia&state=AZ&stage=Install&stage=Inspection')
  expect(cardsInput(state, { stage: 'Install', kind: 'open' }, '2026-03-15', false)).toMatchObject({
    filter: { search: 'garcia', states: ['AZ'], stages: ['Install'] },
    limit: 20,
  })
})

test.each([
  ['', 'open', 'timeInCurrentStage', 'asc'],
  ['', 'on-hold', 'timeInCurrentStage', 'asc'],
  ['', 'won', 'timeInCurrentStage', 'desc'],
  ['', 'lost', 'timeInCurrentStage', 'desc'],
  ['sort=-amount', 'open', 'amount', 'desc'],
] as const)('with %j, sorts cards of %s stages by %s, %s', (query, kind, field, direction) => {
  expect(cardsInput(stateOf(query), { stage: 'A', kind }, '2026-03-15', false).sort).toEqual({
    field,
    direction,
  })
})
