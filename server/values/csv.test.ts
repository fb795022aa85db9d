import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvLines, withoutEscape } from './csv.ts'

test('quotes cells with separators or line breaks, and ends lines as RFC 4180 requires', () => {
  expect(
    csvLines([
      ['a', '', 'b, "c"\nd'],
      [1, -1, ' e'],
    ]),
  ).toBe('a,,"b, ""c""\nd"\r\n1,-1," e"\r\n')
  expect(csvLines([['']])).toBe('\r\n')
  expect(csvLines([])).toBe('')
})

test('escapes text that looks like a formula, even on later lines; numbers stay numbers', () => {
  for (const sign of ['=', '+', '-', '@', '\t', '\r', '\uff1d', '\uff0b', '\uff0d', '\uff20'])
    for (const rest of ['1', '1\n2', '']) expect(csvLines([[sign + rest]])).toBe(`"'${sign}${rest}"\r\n`)
  expect(csvLines([[-1, '1-1', '']])).toBe('-1,1-1,\r\n')
})

test('its output can be read back, including escaped and formula-like text', () => {
  const signs = ['a', ',', '"', '\n', '\r', ' ', '\ufeff', 'é', "'", ';', '=', '\uff1d']
  const cell = fc.string({ unit: fc.constantFrom(...signs) })
  const row = fc.array(cell, { minLength: 2, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), (rows) => {
      const read = parse(csvLines(rows), { relax_column_count: true, record_delimiter: '\r\n' })
      expect(read.map((cells) => cells.map(withoutEscape))).toEqual(rows)
    }),
  )
})
