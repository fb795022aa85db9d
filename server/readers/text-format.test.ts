import { expect, test } from 'vitest'
import { rowFormatOf, delimiterOf, formatName, isSeparatorLine } from './text-format.ts'

test.each([
  ['id,stage\n1,a;b;c\n', ','],
  ['id;stage;notes\n1;a,b,c,d;e\n', ';'],
  ['id\tstage\n', '\t'],
  ['id|stage\n', '|'],
  ['id~stage\n1~a, b\n', '~'],
  ['"id, of the deal; or more";"stage"\n', ';'],
  ['\n\nid;stage\n', ';'],
  ['Deals of March, 2026, by stage\n\nid;stage\n1;NTP\n2;NTP\n', ';'],
  ['id;amount\n1;36.739,00\n2;5,50\n', ';'],
  ['id;name;amount;cost\n1;Ortiz, Mia;36.739,00;1,5\n2;Webb, Al;5,50;2,5\n', ';'],
  ['id;notes;stage\n1;2" conduit, 3/4" strap;NTP\n2;"a, b";NTP\n', ';'],
  ['Deal ID, Deal Name, Notes\n1, a, x|y\n2, b, z\n', ','],
  ['Deal ID;Deal Name;Stage\n1;a, b\n2;c, d\n3;e, f\n', ';'],
  ['sep=;\nid;amount\n', ';'],
  ['"sep=|"\r\nid|a,b,c\n', '|'],
  ['id\n1\n', ','],
  ['', ','],
])('for %j, finds the delimiter %j', (text, delimiter) => expect(delimiterOf(text)).toBe(delimiter))

test('finds the delimiter despite an incomplete last row', () => {
  expect(delimiterOf('id,stage\n1,"a;b;c;d;e;f;g', true)).toBe(',')
})

test("recognizes Excel's line that states the delimiter", () => {
  for (const cells of [['sep=', ''], ['sep=;'], ['SEP=|']]) expect(isSeparatorLine(cells)).toBe(true)
  for (const cells of [['sep'], ['sep=', 'x'], ['separator=;'], []])
    expect(isSeparatorLine(cells)).toBe(false)
})

test('describes a format in words', () => {
  expect(formatName({ encoding: 'windows-1252', delimiter: ';' })).toBe(
    'CSV, separated by semicolons, in Windows-1252',
  )
})

test.each([
  ['"Deal ID,""Deal Name"",Stage"\n"830001303,""Ortiz, Mia"",CAD"\n', { delimiter: ',', isQuoted: true }],
  ['"""id"";""dealname"""\r\n"""830001303"";""Mia"""\r\n', { delimiter: ';', isQuoted: true }],
  ['"id","dealname"\n"830001303","Ortiz, Mia"\n', { delimiter: ',' }],
  ['"id";"dealname"\n"830001303";"Ortiz, Mia"\n', { delimiter: ';' }],
  ['"Deals, by month"\nid,stage\n830001303,CAD\n', { delimiter: ',' }],
  ['id\n830001303\n', { delimiter: ',' }],
  ['', { delimiter: ',' }],
])('detects whether the rows of %j are in quotes', (text, format) =>
  expect(rowFormatOf(text)).toEqual(format),
)
