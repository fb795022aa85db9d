import { describe, expect, test } from 'vitest'
import { Prepared } from './prepared.ts'
import { readInput, transformer } from './transformer.ts'

const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const refusal = (sent: unknown) => {
  try {
    return { read: readInput(sent) }
  } catch (error) {
    return error instanceof TypeError && error.message.startsWith('an input is') ? 'refused' : error
  }
}

describe('an input of a procedure', () => {
  const shared = { stage: 'Sold' }

  test.each([
    [undefined],
    [null],
    [0],
    ['text'],
    [true],
    [{}],
    [[]],
    [new Date('2026-03-01T17:20:05.000Z')],
    [9_223_372_036_854_775_807n],
    [{ since: new Date(0), until: undefined, ids: [1n, -2n, { at: new Date(8.64e15) }], limit: 50 }],
    [{ first: shared, second: shared, dates: Array.from({ length: 3 }, () => new Date(5)) }],
  ])('arrives as it was sent: %o', (input) => {
    expect(readInput(overTheWire(transformer.input.serialize(input)))).toEqual(input)
  })

  test('without annotations may be any JSON, including names that objects inherit', () => {
    const json = JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":null}}') as object
    expect(readInput({ json })).toBe(json)
  })

  test.each([
    ['Set', []],
    ['Error', {}],
    ['toString', ''],
    ['__proto__', ''],
    ['Date', 0],
    ['Date', '2026-03-01'],
    ['Date', '2026-02-30T00:00:00.000Z'],
    ['Date', `${'('.repeat(60_000)}`],
    ['bigint', 1],
    ['bigint', '1.5'],
    ['bigint', '9223372036854775808'],
    ['bigint', '9'.repeat(60_000)],
    ['undefined', 0],
    ['undefined', {}],
    [['custom', 'prepared'], '{}'],
    [['typed-array', 'Float64Array'], 4_294_967_296],
    [['class', 'ApiError'], {}],
  ])('is rejected for the annotation %j of %.40j', (type, json) => {
    expect(refusal({ json, meta: { values: [type] } })).toBe('refused')
    expect(refusal({ json: { a: { b: json } }, meta: { values: { 'a.b': [type] } } })).toBe('refused')
  })

  test.each(
    [
      ['b', 'a.b', '', '.', '__proto__', '__proto__.x', 'constructor.prototype.x', 'c.__proto__', 'c.length'],
      ['c.-1', 'c.map', 'd\\.e', 'toString.name', 'x'.repeat(60_000), '.'.repeat(60_000)],
    ].flat(),
  )('is rejected for an annotation at %.40j, which does not exist', (path) => {
    expect(
      refusal({ json: { a: null, c: [null], 'd.e': null }, meta: { values: { [path]: ['undefined'] } } }),
    ).toBe('refused')
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  test('is rejected for an annotation of an inherited name', () => {
    for (const path of ['__proto__', '__proto__.a', 'constructor']) {
      const json: unknown = JSON.parse('{"__proto__":{"a":null},"constructor":null}')
      expect(refusal({ json, meta: { values: JSON.parse(`{"${path}":["undefined"]}`) } })).toBe('refused')
    }
  })

  test.each(
    [
      undefined,
      null,
      'json',
      [],
      {},
      { meta: {} },
      { json: 1, meta: null },
      { json: [], meta: { referentialEqualities: { 0: ['1'] } } },
      { json: null, meta: { values: null } },
      { json: null, meta: { values: [['undefined']] } },
      { json: null, meta: { values: ['undefined', {}] } },
      { json: { a: null }, meta: { values: { a: 'undefined' } } },
      { json: { a: [null] }, meta: { values: { a: { 0: ['undefined'] } } } },
      { json: null, meta: { other: 1 } },
    ].map((sent) => [sent]),
  )('is rejected if it has another format: %j', (sent) => expect(refusal(sent)).toBe('refused'))

  test('is parsed in linear time', () => {
    // If the time were quadratic, 100,000 annotations or levels would take minutes.
    const many = 100_000
    const wide = {
      json: Array.from({ length: many }, () => null),
      meta: {
        values: Object.fromEntries(
          Array.from({ length: many }, (_, index) => [String(index), ['undefined']]),
        ),
      },
    }
    expect(new Set(readInput(wide) as unknown[])).toEqual(new Set([undefined]))
    const deep = JSON.parse(`${'['.repeat(many)}null${']'.repeat(many)}`) as unknown
    let inner = readInput({
      json: deep,
      meta: { values: { [Array.from({ length: many }, () => '0').join('.')]: ['undefined'] } },
    })
    while (Array.isArray(inner)) [inner] = inner
    expect(inner).toBeUndefined()
  })
})

test('outputs may be anything superjson supports, including prepared responses', () => {
  const output = { when: new Date(5), set: new Set([1n]), deals: new Prepared<number[]>('[1]', '"tag"') }
  const read = transformer.output.deserialize<typeof output>(
    overTheWire(transformer.output.serialize(output)) as never,
  )
  expect({ ...read, deals: read.deals.value() }).toEqual({ when: output.when, set: output.set, deals: [1] })
})
