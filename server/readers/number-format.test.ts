import { expect, test } from 'vitest'
import { textFor } from '../records/record-source.ts'
import { dateOf, isoDateOf, numberCell, numberFormat, roundedCell, writtenNumber } from './number-format.ts'

test.each([
  [14, undefined, 'date'],
  [0, undefined, 'plain'],
  [9, undefined, 'percent'],
  [11, undefined, 'plain'],
  [999, undefined, 'plain'],
  [164, 'yyyy-mm-dd', 'date'],
  [164, '[$-409]mmmm d, yyyy;@', 'date'],
  [164, 'h:mm', 'other'],
  [164, '[h]:mm', 'other'],
  [164, '[Red]#,##0.00', 'other'],
  [164, '"$"#,##0.00_);\\("$"#,##0.00\\)', 'other'],
  [164, '0.0" days"', 'other'],
  [164, 'General', 'plain'],
  [164, '@', 'plain'],
  [164, '0.00E+00', 'plain'],
  [164, 'an unclosed "quote', 'plain'],
  [164, '0'.repeat(300), 'plain'],
] as const)('the format %i %s is of the kind %s', (id, code, kind) =>
  expect(numberFormat(id, code).kind).toBe(kind),
)

test.each([
  ['00000', '2134', '02134', '2134'],
  ['(000) 000-0000', '6025550147', '(602) 555-0147', '6025550147'],
  ['[<=9999999]###-####;(###) ###-####', '6025550147', '(602) 555-0147', '6025550147'],
  ['"$"#,##0.00', '0.4', '$0.40', '0.4'],
  ['_("$"* #,##0.00_)', '1234.5', '$1,234.50', '1234.5'],
  ['0.0%', '0.125', '12.5%', '12.5%'],
  ['0%', '0.29', '29%', '29%'],
  ['General', '1.6025550147E10', '16025550147', '16025550147'],
  ['General', '0.400000000000000000005', '0.4', '0.4'],
  ['0.00E+00', '16025550147', '16025550147', '16025550147'],
  ['m/d/yyyy', '46082', '3/1/2026', '2026-03-01'],
  ['yyyy-mm-dd hh:mm', '46082.3958333333', '2026-03-01 09:30', '2026-03-01 09:30:00'],
  ['h:mm', '0.5', '12:00', '0.5'],
  ['m/d/yyyy', '-1', '-1', '-1'],
  [';;;', '5', '5', '5'],
  ['0', 'x', 'x', 'x'],
  ['0', '', '', ''],
])('in the format %s, %s is displayed as %s and has the value %s', (code, raw, shown, value) => {
  const cell = numberCell(raw, numberFormat(164, code), false)
  expect([textFor('text', cell), textFor('double', cell)]).toEqual([shown, value])
})

test('dates counted from 1904 are displayed and read as the right day', () => {
  const cell = numberCell('44620', numberFormat(14, undefined), true)
  expect([textFor('text', cell), textFor('time', cell)]).toEqual(['3/1/2026', '2026-03-01'])
})

test.each([
  ['2026-03-01', '2026-03-01'],
  ['2026-03-01T00:00:00', '2026-03-01'],
  ['2026-03-01T09:30:00', '2026-03-01 09:30:00'],
  ['2026-03-01T09:29:59.999999', '2026-03-01 09:30:00'],
  ['2026-03-01T09:30:00Z', '2026-03-01 09:30:00'],
  ['2026-02-31T25:00:00', null],
  ['tomorrow', null],
])('reads the ISO date %s as %s', (text, date) => expect(isoDateOf(text)).toBe(date))

test.each([
  ['46082', false, '2026-03-01'],
  ['46082.5', false, '2026-03-01 12:00:00'],
  ['1', false, '1900-01-01'],
  ['44620', true, '2026-03-01'],
  ['x', false, null],
  ['', false, null],
  ['-1', false, null],
  ['99999999', false, null],
])('reads the serial number %s as %s', (serial, is1904, date) => expect(dateOf(serial, is1904)).toBe(date))

test('reads an unformatted number as the right day if dates are counted from 1904', () => {
  const cell = numberCell('44620', numberFormat(0, undefined), true)
  expect([textFor('text', cell), textFor('time', cell)]).toEqual(['44620', '2026-03-01'])
})

test.each([
  ['1.2345678901234501E+16', true],
  ['9.001000000000001E+17', true],
  ['1234567890123450', true],
  ['9001000000000000000', true],
  // Spreadsheets cannot store these numbers.
  ['9223372036854775807', false],
  ['9007199254740993', false],
  ['1234567890123456', false],
  ['2.0411000193E10', false],
  ['0.12345678901234567', false],
  ['x', false],
])('a spreadsheet may have rounded the number %s: %s', (raw, isRounded) =>
  expect(roundedCell(raw) !== null).toBe(isRounded),
)

test.each([
  ['20411000193', '20411000193'],
  ['9223372036854775807', '9223372036854775807'],
  ['2.0411000193E10', '20411000193'],
  ['0.30000000000000004', '0.3'],
  ['36739', '36739'],
  ['', ''],
  ['x', 'x'],
])('writes the number %s as %s', (value, written) => expect(writtenNumber(value)).toBe(written))
