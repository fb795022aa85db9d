import { expect, test } from 'vitest'
import { sizeReader, splitUnit } from './size.ts'

test.each([
  ['8.4', '8.4'],
  ['8.80', '8.80'],
  ['8.4 kW', '8.4 kW'],
  ['12,150 W', '12.15'],
  ['9600w', '9.6'],
  ['7200 Wdc', '7.2'],
  ['7200 watts DC', '7.2'],
  ['10800 Wp', '10.8'],
  ['1.2 MW', '1200'],
  ['0.0101 MW AC', '10.1'],
  ['22 panels', '22 panels'],
  ['405W x 22', '405W x 22'],
])('reads the size %s as %s', (text, size) => expect(sizeReader('.', 'kW')(text)).toBe(size))

test.each([
  ['8400', '8.4'],
  ['8,400', '8.4'],
  ['8400.0', '8.4'],
  ['8.4 kW', '8.4 kW'],
  ['', null],
  ['n/a', null],
])('in a column of watts, reads %s as %s', (text, size) => expect(sizeReader('.', 'W')(text)).toBe(size))

test('reads a size with a decimal comma', () => {
  expect(sizeReader(',', 'kW')('8,4')).toBe('8.4')
  expect(sizeReader(',', 'kW')('12.150 W')).toBe('12.15')
})

test.each([
  ['System Size (W)', 'System Size', 'W'],
  ['System Size W DC', 'System Size', 'W'],
  ['system_size_watts', 'system_size', 'W'],
  ['Size [Wp]', 'Size', 'W'],
  ['Size (MW)', 'Size', 'MW'],
  ['System Size Megawatts', 'System Size', 'MW'],
  ['System Size (kW)', 'System Size', 'kW'],
  ['System Size kWdc', 'System Size', 'kW'],
  ['Size Kilowatts', 'Size', 'kW'],
  ['System Size', 'System Size', 'kW'],
  ['New', 'New', 'kW'],
])('splits the title “%s” into “%s” and the unit %s', (whole, title, unit) =>
  expect(splitUnit(whole)).toEqual({ title, unit }),
)
