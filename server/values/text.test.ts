import { expect, test } from 'vitest'
import { sizeReader, splitUnit, numericTextReader, readFileId, readLink, readText } from './text.ts'
import { Unreadable } from './unreadable.ts'

test('removes all kinds of spaces around a string, but none within', () => {
  expect(readText('\ufeff\u00a0 Ortiz, \u00a0Mia\u202f\u2007\u200b\u3000\t\r\n')).toBe('Ortiz, \u00a0Mia')
  expect(readText('\u202a+1 602 555 0147\u202c')).toBe('+1 602 555 0147')
  expect(readText('👨‍👩‍👧')).toBe('👨‍👩‍👧')
})

test('rejects an error value that a spreadsheet wrote as text', () => {
  expect(readText('#REF!')).toEqual(new Unreadable('is the error #REF!'))
  expect(readText('#REF! is the deal')).toBe('#REF! is the deal')
  expect(readText('#4')).toBe('#4')
})

test('removes NUL, and rejects other characters that cannot be stored', () => {
  const problem = new Unreadable('has a character that cannot be stored; remove it')
  expect([readText('a\0b\0'), readText('\0'), readText('a\ud800')]).toEqual(['ab', null, problem])
})

test('reads the label of a HYPERLINK formula', () => {
  expect(readText('=HYPERLINK("https://crm.example/9","Ortiz, Mia")')).toBe('Ortiz, Mia')
  expect(readText('=hyperlink("https://crm.example/9" ; "Mesa")')).toBe('Mesa')
  expect(readLink('=HYPERLINK("https://crm.example/9","https://crm.example")')).toBe('https://crm.example/9')
  expect(readLink('https://crm.example/a(b)')).toBe('https://crm.example/a(b)')
})

test.each([
  ['Smith &amp; Sons', 'Smith & Sons'],
  ['O&#39;Hara, Se&aacute;n', "O'Hara, Se&aacute;n"],
  ['CAD<br>', 'CAD'],
  ['Gate code 4471<br/>Call &quot;Mia&quot;&nbsp;', 'Gate code 4471\nCall "Mia"'],
  ['AT&T; R&D <3 kW', 'AT&T; R&D <3 kW'],
  ['&amp;lt;', '&lt;'],
])('reads %j, which a web program exported, as %j', (text, read) => expect(readText(text)).toBe(read))

test('reads the URL of an HTML link', () => {
  expect(readLink('https://crm.example/?a=1&amp;b=2')).toBe('https://crm.example/?a=1&b=2')
})

test('reads a string that is written as a formula', () => {
  expect(readText('="00123"')).toBe('00123')
  expect(readText('=SUM(A1)')).toBe('=SUM(A1)')
})

test.each([
  ['18.0', '18'],
  ['85003.0', '85003'],
  ['1730.0', '1730'],
  ['6025550147.0', '6025550147'],
  ['18,0', '18'],
  ['18', '18'],
  ['02134', '02134'],
  ['7.20', '7.20'],
  ['18.00', '18.00'],
  ['8.8 kW', '8.8 kW'],
  ['$1,234.50', '$1,234.50'],
  [' $-   ', '0'],
  ["'02134", '02134'],
  ["'Ohana Solar", "'Ohana Solar"],
])('reads the number %j as the text %s', (text, read) => expect(numericTextReader('.')(text)).toBe(read))

test('writes numbers with a point if their column uses a comma', () => {
  expect(['7,2', '25.200,50', '25.200', '8,8 kW'].map(numericTextReader(','))).toEqual([
    '7.2',
    '25200.50',
    '25.200',
    '8,8 kW',
  ])
})

test.each([
  ['https://design.example/p/1', 'https://design.example/p/1'],
  ['design.example/p/1', 'design.example/p/1'],
  ['=HYPERLINK("https://design.example/p/1","View")', 'https://design.example/p/1'],
  ['[View](https://design.example/p/1)', 'https://design.example/p/1'],
  ['<a href="https://design.example/p/1">View</a>', 'https://design.example/p/1'],
  ['proposal.pdf (https://design.example/p/1)', 'https://design.example/p/1'],
])('reads the URL in %s', (text, address) => expect(readLink(text)).toBe(address))

test.each(['View proposal', 'Link'])('rejects %s as a link', (text) =>
  expect(readLink(text)).toBeInstanceOf(Unreadable),
)

test.each([
  ['hic_9f2Kd81LmQ', 'hic_9f2Kd81LmQ'],
  ['9001;9002', '9001'],
  ['9001, 9002', '9001'],
  ['9001.0', '9001'],
])('reads the file id in %s', (text, id) => expect(readFileId(text)).toBe(id))

test.each(['https://files.example/1.pdf', 'agreement.pdf', 'a'.repeat(65)])(
  'rejects %s as a file id',
  (text) => expect(readFileId(text)).toBeInstanceOf(Unreadable),
)

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
