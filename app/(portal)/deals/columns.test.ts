import { expect, test } from 'vitest'
import { moveColumn } from './columns-menu.tsx'
import { columnLabel, isAtRight, sortAfter, sortTitle, tracksOf, widthOf } from './columns.ts'
import { columnIds, standardColumns } from './columns.ts'

test('each column has a name, a width and an alignment', () => {
  for (const column of columnIds) expect(columnLabel(column)).toMatch(/^\S.*\S$/)
  expect(columnIds.map((column) => widthOf(column)).every((width) => width >= 72)).toBe(true)
  expect(standardColumns.filter(isAtRight)).toEqual(['amount'])
})

test('the default columns fit a small window and fill a large one', () => {
  expect(standardColumns.reduce((sum, column) => sum + widthOf(column), 0)).toBeLessThanOrEqual(1024 - 2 * 24)
  expect(tracksOf(['dealname', 'amount'])).toBe('minmax(208px, 2fr) 98px')
})

test.each([
  ['amount', 1, ['dealname', 'amount', 'stage', 'city']],
  ['amount', 0, ['dealname', 'amount', 'stage', 'city']],
  ['stage', 2, ['dealname', 'amount', 'stage', 'city']],
  ['stage', 99, ['dealname', 'amount', 'city', 'stage']],
  ['dealname', 2, ['dealname', 'stage', 'amount', 'city']],
] as const)('moves the column %s to position %i', (column, to, moved) => {
  expect(moveColumn(['dealname', 'stage', 'amount', 'city'], column, to)).toEqual(moved)
})

test.each([
  ['amount', null, 'Sort by Amount'],
  ['timeInCurrentStage', null, 'Sort by In stage in your CRM, longest first'],
  ['timeInCurrentStage', 'asc', 'Sort by In stage in your CRM, shortest first'],
] as const)('the tooltip of the header %s, sorted %s, is %s', (column, direction, title) => {
  expect(sortTitle(column, direction)).toBe(title)
})

test('clicking a header sorts ascending, then descending, then by the default, which the URL omits', () => {
  const ascending = sortAfter({ field: 'stage', direction: 'desc' }, 'amount')
  expect(ascending).toEqual({ field: 'amount', direction: 'asc' })
  const descending = sortAfter(ascending, 'amount')
  expect(descending).toEqual({ field: 'amount', direction: 'desc' })
  expect(sortAfter(descending, 'amount')).toBeNull()
  expect(sortAfter(sortAfter(null, 'lastModified'), 'lastModified')).toBeNull()
})
