import { expect, test } from 'vitest'
import type { DialectName } from './dialects.ts'
import { ddlOf } from './sql-target.ts'

test('texts in MySQL do not count toward the size of a row, which VARCHARs of 70 columns would exceed', () => {
  const ddl = ddlOf('mysql', 'own_')
  const [deals] = /create table own_deals [^;]*/.exec(ddl)!
  expect(deals.match(/ mediumtext/g)!.length).toBeGreaterThan(30)
  expect(deals).not.toMatch(/varchar/i)
})

test('amounts are stored as decimals of any length that a deal can have, never as floating point', () => {
  const moneyOf = (kind: DialectName) => /^  amount (.*?),$/m.exec(ddlOf(kind, 'own_'))![1]
  expect((['postgres', 'mysql', 'sqlite'] as const).map(moneyOf)).toEqual([
    'numeric',
    'decimal(65,2)',
    'numeric',
  ])
})
