import { expect, test } from 'vitest'
import type { DialectName } from './dialects.ts'
import { ddlOf, partsOf } from './sql-target.ts'

test('splits rows by their number and total length', () => {
  const sizesOf = (rows: unknown[][]) => [...partsOf(rows, 3)].map(({ length }) => length)
  expect(sizesOf([])).toEqual([])
  expect(sizesOf([[1], [2], [3], [4]])).toEqual([3, 1])
  const long = ['x'.repeat(1_500_000), null]
  expect(sizesOf([long, long, long])).toEqual([2, 1])
  expect(sizesOf([[1], ['x'.repeat(5_000_000)], [2]])).toEqual([1, 1, 1])
})

test('uses MySQL text types that do not count toward the maximum row size', () => {
  const ddl = ddlOf('mysql', 'own_')
  const [deals] = /create table own_deals [^;]*/.exec(ddl)!
  expect(deals.match(/ mediumtext/g)!.length).toBeGreaterThan(30)
  expect(deals).not.toMatch(/varchar/i)
})

test('stores amounts as decimals', () => {
  const moneyOf = (kind: DialectName) => /^  amount (.*?),$/m.exec(ddlOf(kind, 'own_'))![1]
  expect((['postgres', 'mysql', 'sqlite'] as const).map(moneyOf)).toEqual([
    'numeric',
    'decimal(65,2)',
    'numeric',
  ])
})
