import { expect, test } from 'vitest'
import { partsOf } from './sql-target.ts'

test('rows are written in parts that are limited in rows and in characters', () => {
  const sizesOf = (rows: unknown[][]) => [...partsOf(rows, 3)].map(({ length }) => length)
  expect(sizesOf([])).toEqual([])
  expect(sizesOf([[1], [2], [3], [4]])).toEqual([3, 1])
  const long = ['x'.repeat(1_500_000), null]
  expect(sizesOf([long, long, long])).toEqual([2, 1])
  expect(sizesOf([[1], ['x'.repeat(5_000_000)], [2]])).toEqual([1, 1, 1])
})
