import { expect, test } from 'vitest'
import type { Zone } from '../../protocol/zone.ts'
import { cellName, cellProblem, decimalOf, readCell } from './cell.ts'

test.each([
  ['$36,739.00', 36_739],
  ['36,739', 36_739],
  ['-$5', -5],
  ['($1,200.50)', -1200.5],
  ['12.5%', 0.125],
  ['0.07%', 0.0007],
  ['1,234,567.8', 1_234_567.8],
])('the number %s is %d', (cell, value) => expect(readCell('double', cell)).toBe(value))

test.each(['36.739,00', '1,23', '12,34,567', '$', '(5', '5)', '(-5)', '1 000', '€5', '007', '$-', '%', ',1'])(
  '%s is no number',
  (cell) => expect(readCell('double', cell)).toBe(cell),
)

test.each([
  ['Yes', true],
  ['no', false],
  ['Y', true],
  ['0', false],
  ['TRUE', true],
])('the flag %s is %s', (cell, value) => expect(readCell('flag', cell)).toBe(value))

test.each([
  ['3/1/2026', '2026-03-01T00:00:00.000Z'],
  ['03/01/26', '2026-03-01T00:00:00.000Z'],
  ['12/31/69', '2069-12-31T00:00:00.000Z'],
  ['1/1/70', '1970-01-01T00:00:00.000Z'],
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['2026/03/01', '2026-03-01T00:00:00.000Z'],
  ['2026/3/1 17:20', '2026-03-01T17:20:00.000Z'],
  ['2026-03-01 17:20', '2026-03-01T17:20:00.000Z'],
  ['3/1/2026 5:20 PM', '2026-03-01T17:20:00.000Z'],
  ['3/1/2026 12:05:07am', '2026-03-01T00:05:07.000Z'],
  ['2026-03-01T17:20:05Z', '2026-03-01T17:20:05Z'],
])('the time %s is %s', (cell, value) => expect(readCell('time', cell)).toBe(value))

test('reads only dates with slashes differently with the day first', () => {
  const read = (cell: string) => readCell('time', cell, { dayFirst: true })
  expect(read('3/1/2026')).toBe('2026-01-03T00:00:00.000Z')
  expect(read('25/3/26 5:20 PM')).toBe('2026-03-25T17:20:00.000Z')
  expect(read('2026-03-01')).toBe('2026-03-01T00:00:00.000Z')
  expect(read('2026/3/1')).toBe('2026-03-01T00:00:00.000Z')
})

test.each(['1.3.2026', '2026/03-01', '3/1', '3/1/2026 13:00 pm', 'March 1', '3/1/2026 x', '3-1-2026'])(
  '%s is no time',
  (cell) => expect(readCell('time', cell)).toBe(cell),
)

test.each([
  ['36.739,00', 36_739],
  ['36739,5', 36_739.5],
  ['1.234.567', 1_234_567],
  ['-5', -5],
  ['0,40 €', 0.4],
  ['($1.200,50)', -1200.5],
  ['12,5%', 0.125],
])('with decimal commas, the number %s is %d', (cell, value) =>
  expect(readCell('double', cell, { decimal: ',' })).toBe(value),
)

test.each(['36,739.00', '1.23', '12.34.567', '007', ',1'])('%s is no number with decimal commas', (cell) =>
  expect(readCell('double', cell, { decimal: ',' })).toBe(cell),
)

test.each([
  [['36.739,00', '5'], ','],
  [['Phoenix', '$0.40'], '.'],
  [['0,40 €'], ','],
  [['36,739'], null],
  [['36.739'], null],
  [['1,5', '1.5'], null],
  [['33.4484,-112.0740', '3/1/2026', '1.3.2026'], null],
])('the decimal sign of %j is %s', (texts, sign) => expect(decimalOf(texts)).toBe(sign))

test('reads times in a zone, and dates without a time in none', () => {
  const zone = 'America/Los_Angeles' as Zone
  const read = (cell: string) => readCell('time', cell, { zone })
  expect(read('2026-03-01 09:20')).toBe('2026-03-01T17:20:00.000Z')
  expect(read('2026-07-01 09:20')).toBe('2026-07-01T16:20:00.000Z')
  expect(read('2026-03-01')).toBe('2026-03-01T00:00:00.000Z')
  // The first of two equal local times; a skipped local time uses the clock before the change.
  expect(read('2026-11-01 01:30')).toBe('2026-11-01T08:30:00.000Z')
  expect(read('2026-03-08 02:30')).toBe('2026-03-08T10:30:00.000Z')
  expect(read('2026-03-01T09:20:00Z')).toBe('2026-03-01T09:20:00Z')
})

test.each(['#REF!', '#N/A', '#DIV/0!', '#NAME?', '#VALUE!', 'Err:502'])('%s is an error', (text) =>
  expect(cellProblem(text)).toBe(`is the error ${text}`),
)

test.each(['#12', '#REF', 'See #REF!', '', 'Err: 5'])('%j is none', (text) =>
  expect(cellProblem(text)).toBeNull(),
)

test('names a cell by its column and row', () => {
  expect([cellName(2, 7), cellName(25, 1), cellName(26, 1), cellName(701, 1), cellName(702, 1)]).toEqual([
    'C7',
    'Z1',
    'AA1',
    'ZZ1',
    'AAA1',
  ])
})
