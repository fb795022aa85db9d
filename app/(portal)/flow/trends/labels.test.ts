import { expect, test } from 'vitest'
import type { TrendEvent, TrendFigure } from '#server/insight/trends/wire.ts'
import { byMeasure } from './labels.ts'

const figure = (count: number, median: number | null): TrendFigure => ({
  count,
  amount: 0,
  size: 0,
  price: median === null ? null : { median, low: median, high: median },
})
const valueOf = (value: string, created: TrendFigure) => ({
  value,
  now: { created } as Record<TrendEvent, TrendFigure>,
})
const values = [
  valueOf('AZ', figure(21, 3)),
  valueOf('TX', figure(23, null)),
  valueOf('NM', figure(4, 3.5)),
  valueOf('NV', figure(4, null)),
]
const sorted = (measure: 'count' | 'price') => byMeasure(values, 'created', measure).map(({ value }) => value)

test('values are ordered by the figure shown, largest first, unknown last', () => {
  expect(sorted('count')).toEqual(['TX', 'AZ', 'NM', 'NV'])
  expect(sorted('price')).toEqual(['NM', 'AZ', 'TX', 'NV'])
})
