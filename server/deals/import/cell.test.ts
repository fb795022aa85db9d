import { expect, test } from 'vitest'
import { readCell } from './cell.ts'

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
  ['2026-03-01 17:20', '2026-03-01T17:20:00.000Z'],
  ['3/1/2026 5:20 PM', '2026-03-01T17:20:00.000Z'],
  ['3/1/2026 12:05:07am', '2026-03-01T00:05:07.000Z'],
  ['2026-03-01T17:20:05Z', '2026-03-01T17:20:05Z'],
])('the time %s is %s', (cell, value) => expect(readCell('time', cell)).toBe(value))

test.each(['1.3.2026', '3/1', '3/1/2026 13:00 pm', 'March 1', '3/1/2026 x', '3-1-2026'])(
  '%s is no time',
  (cell) => expect(readCell('time', cell)).toBe(cell),
)
