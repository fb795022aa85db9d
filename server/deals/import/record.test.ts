import { describe, expect, test } from 'vitest'
import { int64Max, int64Min, parseJson } from '../../protocol/int64.ts'
import { type DealField, dealFields, personFields } from '../deal.ts'
import { readRecord, unknownFields } from './record.ts'

const noId = 'is not an ID; use a whole number such as 20411000193'
const notStored = 'has a character that cannot be stored; remove it'
const noTime = 'is not a time with a time zone; use one such as 2026-03-01T17:20:05.000Z'
const noAmount = 'is not an amount; use a number such as 30800.50'

function read(fields: object) {
  return readRecord({ id: 1, ...fields })
}

/** Returns the parsed value of a single field. */
function readOne(field: DealField, value: unknown): unknown {
  const result = read({ [field]: value })
  return 'record' in result ? result.record[field] : result.faults
}

const faultOf = (field: string | null, reason: string) => ({ faults: [{ field, reason }] })

describe('a record', () => {
  test.each([
    ['null', null],
    ['a list', []],
    ['a list of records', [{ id: 1 }]],
    ['text', 'id'],
    ['a number', 1],
    ['true', true],
    ['nothing', undefined],
  ])('is not %s', (_what, value) => expect(readRecord(value)).toEqual(faultOf(null, 'is not a JSON object')))

  test('requires only an id, and has only the given fields', () => {
    expect(readRecord({ id: 20_411_000_193 })).toEqual({ record: { id: 20_411_000_193n } })
  })

  test('is rejected without an id', () => {
    expect(readRecord({})).toEqual(faultOf('id', 'is empty'))
    expect(readRecord({ id: null })).toEqual(faultOf('id', 'is empty'))
    expect(readRecord({ dealname: 'a' })).toEqual(faultOf('id', 'is empty'))
  })

  test('distinguishes absent and null fields', () => {
    expect(read({ stage: null, notes: undefined })).toEqual({ record: { id: 1n, stage: null } })
  })

  test('may clear every field but the id', () => {
    const names = Object.keys(dealFields).filter((name) => name !== 'id')
    const cleared = Object.fromEntries(names.map((name) => [name, null]))
    expect(read(cleared)).toEqual({ record: { id: 1n, ...cleared } })
  })

  test('reports all problems, in the order of the interface, with the path of people', () => {
    expect(
      readRecord({
        hasHoa: 'yes',
        owner: { email: 5 },
        id: 'x',
        partner: 7,
        amount: '1',
        lastModified: 'today',
      }),
    ).toEqual({
      faults: [
        { field: 'id', reason: `“x” ${noId}` },
        { field: 'owner.id', reason: 'is empty' },
        { field: 'owner.email', reason: '“5” is not text; put it in quotes' },
        { field: 'amount', reason: '“1” is text; write it without quotes' },
        { field: 'hasHoa', reason: '“yes” is neither true nor false; use one of them' },
        { field: 'lastModified', reason: `“today” ${noTime}` },
        { field: 'partner', reason: '“7” is not the slug of a partner; the list of partners has the slugs' },
      ],
    })
  })

  test('may name its partner or null', () => {
    expect(read({ partner: 'sunline' })).toEqual({ record: { id: 1n, partner: 'sunline' } })
    expect(read({ partner: null })).toEqual({ record: { id: 1n, partner: null } })
    for (const partner of [7, true, {}, ['sunline']])
      expect(read({ partner })).toMatchObject({ faults: [{ field: 'partner' }] })
  })

  test('drops unknown fields, which unknownFields lists', () => {
    const value = { id: 1, color: 'red', partner: 'p', Stage: 'x', owner: { id: 2, nick: 'M' } }
    expect(readRecord(value)).toEqual({ record: { id: 1n, partner: 'p', owner: { id: 2n } } })
    expect(unknownFields(value)).toEqual(['color', 'Stage'])
  })
})

describe('an id', () => {
  test.each([
    [0, 0n],
    [-1, -1n],
    [Number.MAX_SAFE_INTEGER, 9_007_199_254_740_991n],
    [9_007_199_254_740_993n, 9_007_199_254_740_993n],
    [int64Max, int64Max],
    [int64Min, int64Min],
  ])('may be %s', (id, value) => expect(readRecord({ id })).toEqual({ record: { id: value } }))

  test.each([
    [1.5, `“1.5” ${noId}`],
    [2 ** 53, `“9007199254740992” ${noId}`],
    [1e21, `“1e+21” ${noId}`],
    [NaN, `“NaN” ${noId}`],
    [Infinity, `“Infinity” ${noId}`],
    [int64Max + 1n, '“9223372036854775808” is too large; use a whole number up to 9223372036854775807'],
    [int64Min - 1n, `“-9223372036854775809” ${noId}`],
    ['1', '“1” is text; write it without quotes'],
    ['', 'is empty'],
    [' '.repeat(10_000), 'is empty'],
    [true, `“true” ${noId}`],
    [[1], `“[…]” ${noId}`],
    [{}, `“{…}” ${noId}`],
  ])('may not be %s', (id, reason) => expect(readRecord({ id })).toEqual(faultOf('id', reason)))
})

describe('a text', () => {
  test.each([
    ['nothing', ''],
    ['spaces', '  '],
    ['quotes', '"\'\\'],
    ['markup', '<script>alert(1)</script>'],
    ['SQL', "'; drop table deals; --"],
    ['lines', 'a\r\nb\tc\u2028'],
    ['control characters', '\u0001\u001F\u007F'],
    ['a byte order mark', '\uFEFF'],
    ['writing from right to left', 'שלום\u202E'],
    ['an emoji', '👩‍👩‍👧'],
    ['the last code point', '\u{10FFFF}'],
    ['100,000 characters', 'ä'.repeat(100_000)],
  ])('may contain %s, unchanged', (_what, text) => expect(readOne('notes', text)).toBe(text))

  test.each([
    ['NUL', 'a\0b'],
    ['the first half of a surrogate pair', 'a\uD83D'],
    ['the second half', '\uDC69a'],
    ['a pair the wrong way round', '\uDC69\uD83D'],
  ])('may not contain %s, which the database cannot store', (_what, text) =>
    expect(readOne('notes', text)).toEqual([{ field: 'notes', reason: notStored }]),
  )

  test.each([[1], [1n], [true], [[]], [{}], [['a']]])('may not be %s', (value) => {
    expect(readOne('zipCode', value)).toMatchObject([{ reason: expect.stringContaining('is not text') }])
  })
})

describe('a number', () => {
  test.each([
    [0, 0],
    [-0.5, -0.5],
    [30_800, 30_800],
    [1e308, 1e308],
    [5e-324, 5e-324],
    [9_007_199_254_740_993n, 9_007_199_254_740_992],
  ])('may be %s', (value, number) => expect(readOne('amount', value)).toBe(number))

  test.each([['x'], [''], [true], [NaN], [Infinity], [-Infinity]])('may not be %s', (value) => {
    expect(readOne('amount', value)).toEqual([{ field: 'amount', reason: `“${value}” ${noAmount}` }])
  })

  test.each([['1'], [[1]], [{}]])('may not be %j', (value) => {
    expect(readOne('amount', value)).toMatchObject([{ field: 'amount' }])
  })

  test('may not be an integer beyond the range of doubles, even where other integers are long', () => {
    for (const text of [
      `{"id":1,"amount":1${'0'.repeat(400)}}`,
      `{"id":9007199254740993,"amount":1${'0'.repeat(400)}}`,
      '{"id":1,"amount":1e400}',
    ]) {
      expect(readRecord(parseJson(text)), text).toMatchObject({ faults: [{ field: 'amount' }] })
    }
  })
})

describe('a flag', () => {
  test.each([[true], [false], [null]])('may be %s', (value) => expect(readOne('hasHoa', value)).toBe(value))

  test.each([[0], [1], ['true'], ['false'], [''], [[]], [{}]])('may not be %j', (value) => {
    expect(readOne('hasHoa', value)).toMatchObject([{ field: 'hasHoa' }])
  })
})

describe('a time', () => {
  test('is converted to the form that partners receive', () => {
    expect(readOne('lastModified', '2026-03-01T10:20:05-07:00')).toBe('2026-03-01T17:20:05.000Z')
  })

  test.each([
    [1_772_385_605_000],
    ['2026-03-01'],
    ['2026-02-30T00:00:00Z'],
    [''],
    [true],
    [{}],
    [['2026-03-01T17:20:05Z']],
  ])('may not be %j', (value) => {
    expect(readOne('lastModified', value)).toMatchObject([{ reason: expect.stringContaining(noTime) }])
  })
})

describe('a person', () => {
  const whole = {
    id: 41_203,
    userId: int64Max,
    email: 'm@example.com',
    firstName: 'Maria',
    lastName: 'Alvarez',
    teams: 'PM',
    crmTeamId: '5510',
    createdAt: '2023-04-11T15:02:44Z',
    updatedAt: null,
  }

  test('is read like a separate record', () => {
    expect(Object.keys(whole)).toEqual(Object.keys(personFields))
    expect(readOne('permitCoordinator', whole)).toEqual({
      ...whole,
      id: 41_203n,
      createdAt: '2023-04-11T15:02:44.000Z',
    })
  })

  test('requires only an id', () => {
    expect(readOne('owner', { id: 5 })).toEqual({ id: 5n })
    expect(readOne('owner', {})).toEqual([{ field: 'owner.id', reason: 'is empty' }])
    expect(readOne('owner', { id: null, email: 'm@example.com' })).toEqual([
      { field: 'owner.id', reason: 'is empty' },
    ])
  })

  test.each([['Maria'], [5], [true], [[]], [[{ id: 1 }]]])('may not be %j', (value) => {
    expect(readOne('owner', value)).toMatchObject([
      { field: 'owner', reason: expect.stringContaining('is not a person') },
    ])
  })
})

describe('a hostile record', () => {
  test('cannot inject __proto__, constructor or toString', () => {
    const value = parseJson(
      '{"id":1,"__proto__":{"stage":"x","owner":{"id":2}},"constructor":{"prototype":{}},"toString":"x","hasOwnProperty":1}',
    )
    expect(readRecord(value)).toEqual({ record: { id: 1n } })
    expect(unknownFields(value as object)).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect(readRecord(parseJson('{"__proto__":{"id":1}}'))).toEqual(faultOf('id', 'is empty'))
    expect(readOne('owner', parseJson('{"__proto__":{"id":1}}'))).toEqual([
      { field: 'owner.id', reason: 'is empty' },
    ])
  })

  test('may nest to any depth in unknown fields', () => {
    let deep: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    expect(read({ color: deep })).toEqual({ record: { id: 1n } })
    expect(readOne('owner', { id: 1, email: deep })).toMatchObject([{ field: 'owner.email' }])
  })
})
