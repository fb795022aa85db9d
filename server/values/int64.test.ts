import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { int64Max, int64Min, parseInt64, parseJson, stringifyJson, toInt64, indentJson } from './int64.ts'

const seed = 20_260_301
const anyInt64 = fc.bigInt({ min: int64Min, max: int64Max })

describe('parseInt64', () => {
  test.each([
    ['0', 0n],
    ['-1', -1n],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['9223372036854775807', int64Max],
    ['-9223372036854775808', int64Min],
  ])('parses %s without losing a digit', (text, value) => expect(parseInt64(text)).toBe(value))

  test.each(
    [
      ['9223372036854775808', '-9223372036854775809', '1'.repeat(1000)],
      ['', ' ', '-', '+1', '-0', '01', ' 1', '1\n', '1.0', '.1', '1e3', '0x10', '1_000', '1,000', '1n'],
      ['NaN', 'null', '--1', '١', '１', '1\0'],
    ].flat(),
  )('rejects %j', (text) => expect(parseInt64(text)).toBeNull())

  test('parses every int64 in decimal, and no other form of it', () => {
    fc.assert(
      fc.property(anyInt64, (value) => {
        expect(parseInt64(String(value))).toBe(value)
        expect(parseInt64(`0${value}`)).toBeNull()
        expect(parseInt64(`${value}.0`)).toBeNull()
      }),
      { seed },
    )
  })
})

describe('toInt64', () => {
  test('accepts every int64 from parseJson', () => {
    fc.assert(
      fc.property(anyInt64, (value) => void expect(toInt64(parseJson(String(value)))).toBe(value)),
      { seed },
    )
    for (const [text, value] of [
      ['-0', 0n],
      ['1.0', 1n],
      ['1e3', 1000n],
      ['9007199254740993', 9_007_199_254_740_993n],
    ] as const)
      expect(toInt64(parseJson(text))).toBe(value)
  })

  test.each(['9223372036854775808', '1e19', '9007199254740993.0', '0.5', '"1"', 'true', 'null', '[1]', '{}'])(
    'rejects %s',
    (text) => expect(toInt64(parseJson(text))).toBeNull(),
  )
})

describe('parseJson', () => {
  test.each([
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-9007199254740993', -9_007_199_254_740_993n],
    ['9223372036854775807', int64Max],
    ['99999999999999999999', 99_999_999_999_999_999_999n],
    ['{"a":[{"b":9007199254740993,"c":1}]}', { a: [{ b: 9_007_199_254_740_993n, c: 1 }] }],
    ['[1,9007199254740993,2.5,"9007199254740993"]', [1, 9_007_199_254_740_993n, 2.5, '9007199254740993']],
  ])('keeps every digit of integers in %s', (text, value) => expect(parseJson(text)).toEqual(value))

  test.each([
    ['1e21', 1e21],
    ['1.5e300', 1.5e300],
    ['9007199254740993.0', 9_007_199_254_740_992],
    ['0.1', 0.1],
    ['-0', -0],
  ])('parses %s, which is not in integer notation, as a number', (text, value) =>
    expect(parseJson(text)).toBe(value),
  )

  test.each(['', '{"a":1,}', "{'a':1}", 'NaN', '01', '9007199254740993n', '{"a":9007199254740993'])(
    'rejects %j like JSON.parse',
    (text) => expect(() => parseJson(text)).toThrow(SyntaxError),
  )

  test('treats __proto__ as an ordinary key', () => {
    for (const text of ['{"__proto__":{"polluted":1}}', '{"__proto__":{"polluted":9007199254740993}}']) {
      const value = parseJson(text) as object
      expect(Object.keys(value)).toEqual(['__proto__'])
      expect('polluted' in value).toBe(false)
      expect('polluted' in {}).toBe(false)
    }
  })

  test('equals JSON.parse for anything without a long integer', () => {
    const withoutLong = fc.json().filter((text) => !/(?<![.\d])\d{16}/.test(text))
    fc.assert(
      fc.property(withoutLong, (text) => void expect(parseJson(text)).toEqual(JSON.parse(text))),
      { seed },
    )
  })
})

describe('stringifyJson', () => {
  test('writes bigints as integers, at any position', () => {
    expect(
      stringifyJson({ id: int64Max, list: [int64Min, 0n, { deep: 9_007_199_254_740_993n }], text: '1n' }),
    ).toBe('{"id":9223372036854775807,"list":[-9223372036854775808,0,{"deep":9007199254740993}],"text":"1n"}')
    expect(stringifyJson(-5n)).toBe('-5')
  })

  test('writes everything else like JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => void expect(stringifyJson(value)).toBe(JSON.stringify(value))),
      { seed },
    )
  })

  test('writes every int64 so that parseJson returns the same number', () => {
    fc.assert(
      fc.property(anyInt64, (value) => {
        const read = (parseJson(stringifyJson({ value })) as { value: number | bigint }).value
        expect(BigInt(read)).toBe(value)
      }),
      { seed },
    )
  })
})

test('indents JSON and keeps every digit of IDs, and leaves other text unchanged', () => {
  expect(indentJson('{"id":9223372036854775807,"changes":[{"field":"stage"}]}')).toBe(
    '{\n  "id": 9223372036854775807,\n  "changes": [\n    {\n      "field": "stage"\n    }\n  ]\n}',
  )
  for (const text of ['', '<html>', '{"cut":']) expect(indentJson(text)).toBe(text)
})
