import { expect, test } from 'vitest'
import { columnOf } from '../deals/columns.ts'
import { type ParameterName, columnFields, parameterNames, parameters, readFilter } from './parameters.ts'

test.each(parameterNames)('accepts the documented example of %s', (name: ParameterName) => {
  const { example } = parameters[name]
  expect(readFilter(String(new URLSearchParams({ [name]: example }))).problems).toEqual([])
})

test('all fields allowed for has and lacks have a column', () => {
  expect(columnFields).toHaveLength(38)
  for (const field of columnFields) expect(columnOf(field)).toMatch(/^[a-z_]+$/)
})

test('reads a filter from a query, with the problems of each parameter', () => {
  expect(
    readFilter('stage=Sold&stage=A%26B&stage=Sold&state=arizona&amountMin=5&has=amount,stage&has=battery'),
  ).toEqual({
    values: {
      stage: ['Sold', 'A&B'],
      state: ['AZ'],
      amountMin: 5,
      has: [['amount', 'stage'], ['battery']],
    },
    problems: [],
  })
  expect(readFilter('modifiedAfter=2026-03-01T00:00:00%2B02:00&flag=hasHoa:false,hasBattery').values).toEqual(
    {
      modifiedAfter: '2026-02-28T22:00:00.000Z',
      flag: [
        [
          { field: 'hasHoa', isTrue: false },
          { field: 'hasBattery', isTrue: true },
        ],
      ],
    },
  )
  expect(readFilter('stage=&stagee=1&amountMax=x').problems).toEqual([
    'stage: must not be empty; lacks=stage finds deals without one',
    'stagee: unknown parameter; did you mean stage?',
    'amountMax: must be a number in plain decimal digits, such as 25000 or 19999.50',
  ])
})
