import { expect, test } from 'vitest'
import { type DealsState, readDealsQuery } from '../query.ts'
import { cardsInput } from './columns.ts'

const stateOf = (search: string) => readDealsQuery(new URLSearchParams(search)) as DealsState

test('a stage has the cards selected by the URL, longest in the stage first', () => {
  expect(
    cardsInput(
      stateOf('q=garcia&state=AZ&stage=Install&stage=Inspection'),
      { stage: 'Install', kind: 'open' },
      '2026-03-15',
      false,
    ),
  ).toMatchObject({
    filter: { search: 'garcia', states: ['AZ'], stages: ['Install'] },
    sort: { field: 'timeInCurrentStage', direction: 'asc' },
    limit: 20,
  })
})

test('the URL may set another order', () => {
  expect(cardsInput(stateOf('sort=-amount'), { stage: '', kind: 'open' }, '2026-03-15', false)).toMatchObject(
    {
      filter: { stages: [''] },
      sort: { field: 'amount', direction: 'desc' },
    },
  )
})

test('closed deals come newest first', () => {
  for (const kind of ['won', 'lost'] as const)
    expect(cardsInput(stateOf(''), { stage: 'Cancelled', kind }, '2026-03-15', false).sort.direction).toBe(
      'desc',
    )
  expect(
    cardsInput(stateOf(''), { stage: 'On Hold', kind: 'on-hold' }, '2026-03-15', false).sort.direction,
  ).toBe('asc')
})
