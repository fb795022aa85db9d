import { expect, test } from 'vitest'
import { ddlOf } from './open-target.ts'

test('texts in MySQL do not count toward the size of a row, which VARCHARs of 70 columns would exceed', () => {
  const ddl = ddlOf({ kind: 'mysql', path: '' } as never, 'own_')
  const [deals] = /create table own_deals [^;]*/.exec(ddl)!
  expect(deals.match(/ mediumtext/g)!.length).toBeGreaterThan(30)
  expect(deals).not.toMatch(/varchar/i)
})

test('amounts are stored as decimals of any length that a deal can have, never as floating point', () => {
  const moneyOf = (kind: string) => /^  amount (.*?),$/m.exec(ddlOf({ kind, path: '' } as never, 'own_'))![1]
  expect(['postgres', 'mysql', 'sqlite'].map(moneyOf)).toEqual(['numeric', 'decimal(65,2)', 'numeric'])
})

test('a folder of CSV files has no tables', () => {
  expect(() => ddlOf({ kind: 'csv', path: '' }, 'own_')).toThrow('no tables to create')
})
