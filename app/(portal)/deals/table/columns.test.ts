import { expect, test } from 'vitest'
import { columnIds, standardColumns, standardColumnsFor } from '../query.ts'
import {
  columnLabel,
  hiddenBesidePanel,
  isAtRight,
  moveColumn,
  sortAfter,
  tracksOf,
  widthOf,
} from './columns.ts'

test('each column has a name, a width and a side', () => {
  for (const column of columnIds) expect(columnLabel(column)).toMatch(/^\S.*\S$/)
  expect(columnIds.map((column) => widthOf(column)).every((width) => width >= 72)).toBe(true)
  expect(standardColumns.filter(isAtRight)).toEqual(['amount'])
})

test('the standard columns fit into a small window, and fill a large one', () => {
  expect(standardColumns.reduce((sum, column) => sum + widthOf(column), 0)).toBeLessThanOrEqual(1024 - 2 * 24)
  expect(tracksOf(['dealname', 'amount'])).toBe('minmax(208px, 2fr) 98px')
})

test.each([false, true])('the default columns fit beside an open deal, of all partners: %s', (seesAll) => {
  const hidden = hiddenBesidePanel({ columns: null, sort: null })
  const shown = standardColumnsFor(seesAll).filter((column) => !hidden.has(column))
  expect(shown).toEqual(['dealname', ...(seesAll ? ['partner'] : []), 'stage', 'milestone'])
  // The panel and its gap take 400 pixels, the page's edges 48.
  const room = 1280 - 400 - 48
  expect(shown.reduce((sum, column) => sum + widthOf(column, true), 0)).toBeLessThanOrEqual(room)
  expect(tracksOf(shown, true)).toMatch(/^minmax\(272px, 2fr\) /)
})

test('columns that are chosen or sorted by stay beside an open deal', () => {
  const sort = { field: 'amount', direction: 'desc' } as const
  expect(hiddenBesidePanel({ columns: null, sort }).has('amount')).toBe(false)
  expect(hiddenBesidePanel({ columns: ['amount', 'systemSize'], sort: null }).size).toBe(0)
})

test.each([
  ['amount', 1, ['dealname', 'amount', 'stage', 'city']],
  ['amount', 0, ['dealname', 'amount', 'stage', 'city']],
  ['stage', 2, ['dealname', 'amount', 'stage', 'city']],
  ['stage', 99, ['dealname', 'amount', 'city', 'stage']],
  ['dealname', 2, ['dealname', 'stage', 'amount', 'city']],
] as const)('%s moved to %i', (column, to, moved) => {
  expect(moveColumn(['dealname', 'stage', 'amount', 'city'], column, to)).toEqual(moved)
})

test('clicks on a header sort ascending, descending, then by default; the default order is omitted', () => {
  const ascending = sortAfter({ field: 'stage', direction: 'desc' }, 'amount')
  expect(ascending).toEqual({ field: 'amount', direction: 'asc' })
  const descending = sortAfter(ascending, 'amount')
  expect(descending).toEqual({ field: 'amount', direction: 'desc' })
  expect(sortAfter(descending, 'amount')).toBeNull()
  expect(sortAfter(sortAfter(null, 'lastModified'), 'lastModified')).toBeNull()
})
