import { expect, test } from 'vitest'
import { columnIndex, dateOf, isDateFormat, unescapeText, writtenNumber } from './xlsx.ts'

test.each([
  ['A1', 0],
  ['Z9', 25],
  ['AA10', 26],
  ['XFD1048576', 16_383],
  ['a1', null],
  ['1', null],
  ['AAAA1', null],
])('the column of %s is %s', (reference, index) => expect(columnIndex(reference)).toBe(index))

test.each([
  [14, undefined, true],
  [0, undefined, false],
  [9, undefined, false],
  [164, 'yyyy-mm-dd', true],
  [164, '[Red]#,##0.00', false],
  [164, '"$"#,##0.00_);\\("$"#,##0.00\\)', false],
  [164, '0.0" days"', false],
  [164, 'General', false],
] as const)('the format %i %s shows dates: %s', (id, code, isDate) =>
  expect(isDateFormat(id, code)).toBe(isDate),
)

test.each([
  ['46082', false, '2026-03-01'],
  ['46082.5', false, '2026-03-01T12:00:00.000Z'],
  ['1', false, '1900-01-01'],
  ['44620', true, '2026-03-01'],
  ['x', false, null],
  ['', false, null],
  ['-1', false, null],
  ['99999999', false, null],
])('the serial number %s is %s', (serial, is1904, date) => expect(dateOf(serial, is1904)).toBe(date))

test.each([
  ['20411000193', '20411000193'],
  ['9223372036854775807', '9223372036854775807'],
  ['2.0411000193E10', '20411000193'],
  ['0.30000000000000004', '0.3'],
  ['36739', '36739'],
  ['', ''],
  ['x', 'x'],
])('the number %s is written %s', (value, written) => expect(writtenNumber(value)).toBe(written))

test('escaped characters are those that they stand for', () => {
  expect(unescapeText('a_x000D_b_x005F_c_x_')).toBe('a\rb_c_x_')
})
