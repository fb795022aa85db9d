import { expect, test } from 'vitest'
import type { TrendEvent, TrendFigure } from '#server/insight/reports-wire.ts'
import { byMeasure, changeInPercent } from './labels.ts'

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

test('sorts values by the displayed figure, largest first, unknown last', () => {
  expect(sorted('count')).toEqual(['TX', 'AZ', 'NM', 'NV'])
  expect(sorted('price')).toEqual(['NM', 'AZ', 'TX', 'NV'])
})

test.each([
  [12, 10, '+20%'],
  [10, 40, '-75%'],
  [10, 10, '0%'],
  [17, 4, ''],
  [9, 100, ''],
  [20, 0, ''],
])('with %s deals now and %s before, the change is %j', (now, previous, text) => {
  expect(changeInPercent({ now: figure(now, null), previous: figure(previous, null) }, 'count')).toBe(text)
})

test('does not compare average prices of too few deals', () => {
  expect(changeInPercent({ now: figure(30, 4), previous: figure(3, 2) }, 'price')).toBe('')
  expect(changeInPercent({ now: figure(30, 4), previous: figure(30, 2) }, 'price')).toBe('+100%')
})

test('shows no change if most deals lack the date', () => {
  const figures = { now: figure(30, null), previous: figure(15, null) }
  expect(changeInPercent(figures, 'count', 45)).toBe('+100%')
  expect(changeInPercent(figures, 'count', 46)).toBe('')
})
