import { expect, test } from 'vitest'
import { decimalSignOf, delimiterOf, encodingOf, formatName } from './text-format.ts'

test.each([
  ['UTF-8', Buffer.from('id,city\n1,München\n'), 'utf-8'],
  ['ASCII', Buffer.from('id\n1\n'), 'utf-8'],
  ['nothing', Buffer.alloc(0), 'utf-8'],
  ['UTF-8 that ends within a character', Buffer.from('id,city\n1,München').subarray(0, 12), 'utf-8'],
  [
    'UTF-8 with a wrong byte',
    Buffer.concat([Buffer.from('id,ü\n1,'), Buffer.from([0xfc]), Buffer.from('\n2,ü, and more')]),
    'utf-8',
  ],
  ['Windows-1252', Buffer.from('id,city\n1,M\xFCnchen\n2,Kingman\n', 'latin1'), 'windows-1252'],
  ['UTF-16', Buffer.from('\uFEFFid\n1\n', 'utf16le'), 'utf-16le'],
  ['UTF-16, big endian', Buffer.from('\uFEFFid\n1\n', 'utf16le').swap16(), 'utf-16be'],
  ['UTF-16 without a mark', Buffer.from('id,city\n1,München\n', 'utf16le'), 'utf-16le'],
] as const)('the encoding of %s is found', (_what, bytes, encoding) => {
  expect(encodingOf(bytes)).toBe(encoding)
})

test.each([
  ['id,stage\n1,a;b;c\n', ','],
  ['id;stage;notes\n1;a,b,c,d;e\n', ';'],
  ['id\tstage\n', '\t'],
  ['id|stage\n', '|'],
  ['"id, of the deal; or more";"stage"\n', ';'],
  ['\n\nid;stage\n', ';'],
  ['Deals of March, 2026, by stage\n\nid;stage\n1;NTP\n2;NTP\n', ';'],
  ['id;amount\n1;36.739,00\n2;5,50\n', ';'],
  ['id\n1\n', ','],
  ['', ','],
])('the delimiter of %j is %j', (text, delimiter) => expect(delimiterOf(text)).toBe(delimiter))

test.each([
  ['id;amount\n1;36.739,00\n', ';', ','],
  ['id;amount\n1;"0,40"\n', ';', ','],
  ['id;amount\n1;36739.5\n', ';', '.'],
  ['id;amount\n1;36.739\n', ';', '.'],
  ['id,amount\n1,"5,50"\n', ',', '.'],
] as const)('the decimal sign of %j is %j', (text, delimiter, sign) =>
  expect(decimalSignOf(text, delimiter)).toBe(sign),
)

test('describes a format in words', () => {
  expect(formatName({ encoding: 'windows-1252', delimiter: ';' })).toBe(
    'CSV, separated by semicolons, in Windows-1252',
  )
})
