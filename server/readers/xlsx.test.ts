import { expect, test } from 'vitest'
import { cellRange, columnIndex, tallCell, unescapeText } from './xlsx.ts'

test.each([
  ['A1', 0],
  ['Z9', 25],
  ['AA10', 26],
  ['XFD1048576', 16_383],
  ['a1', null],
  ['1', null],
  ['AAAA1', null],
])('the cell %s is in the column %s', (reference, index) => expect(columnIndex(reference)).toBe(index))

test('decodes escaped characters', () => {
  expect(unescapeText('a_x000D_b_x005F_c_x_')).toBe('a\rb_c_x_')
})

test.each([
  ['D5:D6', { column: 3, top: 5, bottom: 6 }],
  ['A1:C9', { column: 0, top: 1, bottom: 9 }],
  ['A1:I1', null],
  ['A1', null],
  ['D6:D5', null],
  ['x:y', null],
])('reads the merged cells %s as the tall cell %o', (reference, cell) =>
  expect(tallCell(reference)).toEqual(cell),
)

test.each([
  ['B2', { left: 1, right: 1, top: 2, bottom: 2 }],
  ['$B$2:C9', { left: 1, right: 2, top: 2, bottom: 9 }],
  ['C2:B9', null],
  ['B:B', null],
  ['A1:B2:C3', null],
])('reads the reference %s as the range %o', (reference, range) =>
  expect(cellRange(reference)).toEqual(range),
)
