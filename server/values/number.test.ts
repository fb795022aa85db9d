import fc from 'fast-check'
import { expect, test } from 'vitest'
import { int64Max, int64Min } from './int64.ts'
import { idReader, decimalEvidence, numberReader } from './number.ts'
import { Unreadable } from './unreadable.ts'

const withPoint = numberReader('.')
const withComma = numberReader(',')

test.each([
  ['36739', 36_739],
  ['$36,739.00', 36_739],
  [' $18,400.00 ', 18_400],
  ['36.739,00', 36_739],
  ['1200.5', 1200.5],
  ['36739,5', 36_739.5],
  ['1 234,50', 1234.5],
  ['1\u00a0234,50', 1234.5],
  ['1\u202f234\u202f567,5', 1_234_567.5],
  ["1'234.50", 1234.5],
  ['1’234’567', 1_234_567],
  ['1,234,567.8', 1_234_567.8],
  ['1.234.567', 1_234_567],
  ['.5', 0.5],
  ['5.', 5],
  ['0,400', 0.4],
  ['007', 7],
])('reads %s as %d with either decimal sign', (text, number) => {
  expect(withPoint(text)).toBe(number)
  expect(withComma(text)).toBe(number)
})

test.each([
  ['-5', -5],
  ['-$5', -5],
  ['$-5', -5],
  ['- $ 5', -5],
  ['($1,200.50)', -1200.5],
  [' $(950.00)', -950],
  ['(950.00) USD', -950],
  ['950.00-', -950],
  ['\u2212950', -950],
  ['–950', -950],
  ['+5', 5],
  [' $-   ', 0],
  ['- €', 0],
])('reads the sign of %s', (text, number) => expect(withPoint(text)).toBe(number))

test.each([
  ['USD 1,234.50', 1234.5],
  ['1,234.50 usd', 1234.5],
  ['US$1,234.50', 1234.5],
  ['MXN 1,234.50', 1234.5],
  ['0,40 €', 0.4],
  ['€ 0,40', 0.4],
  ["25'200.-", 25_200],
  ['25.200,-', 25_200],
  ['25.200,--', 25_200],
  ['3.50 $/W', 3.5],
  ['$3.50 per watt', 3.5],
  ['="1234.5"', 1234.5],
  ["'1234.5", 1234.5],
])('reads the currency and unit of %s', (text, number) => expect(withPoint(text)).toBe(number))

test.each([
  ['1.8E+04', 18_000],
  ['2.52e4', 25_200],
  ['2,52E+04', 25_200],
  ['1.840E+04', 18_400],
  ['5e-1', 0.5],
])('reads %s exactly as %d', (text, number) => expect(withPoint(text)).toBe(number))

test('reads an ambiguous number with the decimal sign of its column', () => {
  expect(['25.200', '25,200', '$1,234 USD'].map(withPoint)).toEqual([25.2, 25_200, 1234])
  expect(['25.200', '25,200', '1.234 €'].map(withComma)).toEqual([25_200, 25.2, 1234])
})

test.each(['', ' ', '\u200b', '-', '—', 'N/A', '#N/A', 'TBD', 'none', 'NaN', '(No value)'])(
  'does not read %j as a number',
  (text) => expect(withPoint(text)).toBeNull(),
)

test.each(
  [
    [
      'abc',
      '12 k',
      '12 34',
      '12,34,567',
      '1,2345',
      '1.234,567.89',
      '1,234.567.890',
      '(5',
      '5)',
      '(-5)',
      '-5-',
    ],
    ['$', '%', '12.5%', '5%%', '1e400', 'Infinity', '3/4/2026', '7.2 kW', '5 or 6'],
  ].flat(),
)('rejects the number %s', (text) =>
  expect(withPoint(text)).toEqual(new Unreadable(`“${text}” is not a number; use one such as 30800.50`)),
)

test('reads back every number that JavaScript writes', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(withPoint(String(number))).toBe(number === 0 ? 0 : number)
    }),
  )
})

const cents = fc.integer({ min: -1e12, max: 1e12 }).map((number) => number / 100)

test.each(['en-US', 'de-DE', 'fr-FR', 'de-CH', 'sv-SE', 'pt-BR', 'es-MX', 'nb-NO'])(
  'reads back every amount with cents as written in %s',
  (locale) => {
    const { format } = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' })
    fc.assert(
      fc.property(cents, (number) => {
        expect([withPoint(format(number)), withComma(format(number))]).toEqual([number, number])
      }),
    )
  },
)

test.each(['en-US', 'de-DE'])('reads back every whole number as written in %s', (locale) => {
  const read = locale === 'en-US' ? withPoint : withComma
  fc.assert(
    fc.property(fc.integer(), (number) => {
      expect(read(number.toLocaleString(locale))).toBe(number)
    }),
  )
})

test('never throws, and reads text only as a finite number', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const read = withPoint(text)
      expect(read === null || read instanceof Unreadable || Number.isFinite(read)).toBe(true)
    }),
  )
})

test.each([
  ['1200.5', '.'],
  ['$0.40', '.'],
  ['36,739.00', '.'],
  ['1,234,567', '.'],
  ['36.739,00', ','],
  ['0,40 €', ','],
  ['1.234.567', ','],
  ['1 234,50', ','],
  ['25.200', 'open'],
  ['$25,200', 'open'],
  ['25200', null],
  ['Phoenix', null],
  ['3/1/2026', null],
] as const)('the number %s reveals the decimal sign %s', (text, sign) =>
  expect(decimalEvidence(text)).toBe(sign),
)

const readId = idReader('.')

test.each([
  ['830001303', 830_001_303n],
  ['830001303 ', 830_001_303n],
  ['830001303\u00a0', 830_001_303n],
  ['\ufeff830001303\u200b', 830_001_303n],
  ['830001.0', 830_001n],
  ['=HYPERLINK("https://crm.example/9","830001303")', 830_001_303n],
  ['=HYPERLINK("https://crm.example/9",830001303)', 830_001_303n],
  ['830001.00', 830_001n],
  ['830,001', 830_001n],
  ['830,001.00', 830_001n],
  ['830 001', 830_001n],
  ['0862000006', 862_000_006n],
  ['#862000006', 862_000_006n],
  ['#81301', 81_301n],
  ['="0862000006"', 862_000_006n],
  ["'862000006", 862_000_006n],
  ['zcrm_4876876000000333001', 4_876_876_000_000_333_001n],
  ['-5', -5n],
  ['9223372036854775807', int64Max],
  ['9007199254740993.0', 9_007_199_254_740_993n],
])('reads the id %j', (text, id) => expect(readId(text)).toBe(id))

test('reads a point as a thousands separator if decimals use a comma', () => {
  expect(idReader(',')('830.001')).toBe(830_001n)
  expect(readId('830.001')).toBeInstanceOf(Unreadable)
})

test('rejects an id in exponent form, because it was rounded', () => {
  for (const text of ['8.3E+05', '8,3E+05', '1e9', '-1.5E+10'])
    expect(readId(text)).toEqual(
      new Unreadable(
        `“${text}” was rounded by a spreadsheet; format its column as a number without decimals, and save the file again`,
      ),
    )
})

test.each([
  ['abc', 'is not an ID; use a whole number such as 20411000193'],
  ['12.5', 'is not an ID; use a whole number such as 20411000193'],
  ['12-34', 'is not an ID; use a whole number such as 20411000193'],
  ['$5', 'is not an ID; use a whole number such as 20411000193'],
  ['9223372036854775808', 'is too large; use a whole number up to 9223372036854775807'],
])('rejects the id %s', (text, problem) =>
  expect(readId(text)).toEqual(new Unreadable(`“${text}” ${problem}`)),
)

test.each(['', ' ', 'N/A', '-', 'null'])('reads %j as a missing id', (text) =>
  expect(readId(text)).toBeNull(),
)

test('reads back every id exactly, with leading zeros and separators', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: int64Min, max: int64Max }), (id) => {
      expect(readId(String(id))).toBe(id)
      expect(readId(` ${id}.0\u202f`)).toBe(id)
      expect(readId(id.toLocaleString('en-US'))).toBe(id)
    }),
  )
})
