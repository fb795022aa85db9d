import fc from 'fast-check'
import { expect, test } from 'vitest'
import { idReader } from './id.ts'
import { int64Max, int64Min } from './int64.ts'
import { Unreadable } from './unreadable.ts'

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
