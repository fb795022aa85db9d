import { describe, expect, test } from 'vitest'
import { int64Max, int64Min, parseJson } from '../../protocol/int64.ts'
import { type DealField, dealFields, personFields } from '../deal.ts'
import { readRecord, unknownFields } from './record.ts'

const anInteger = 'must be an integer from -9223372036854775808 to 9223372036854775807'
const aString = 'must be a string without NUL or broken surrogates'
const aTime = 'must be an ISO 8601 date-time with a time zone, such as 2026-03-01T17:20:05.000Z'

function read(fields: object) {
  return readRecord({ id: 1, ...fields })
}

/** Returns what a single field is read as. */
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
  ])('is not %s', (_what, value) => expect(readRecord(value)).toEqual(faultOf(null, 'must be a JSON object')))

  test('needs only an id, and holds only the given fields', () => {
    expect(readRecord({ id: 20_411_000_193 })).toEqual({ record: { id: 20_411_000_193n } })
  })

  test('without an id is refused', () => {
    expect(readRecord({})).toEqual(faultOf('id', anInteger))
    expect(readRecord({ id: null })).toEqual(faultOf('id', anInteger))
    expect(readRecord({ dealname: 'a' })).toEqual(faultOf('id', anInteger))
  })

  test('tells absent from null: an absent field is not in it, a null one is null', () => {
    expect(read({ stage: null, notes: undefined })).toEqual({ record: { id: 1n, stage: null } })
  })

  test('may be cleared in every field but the id', () => {
    const names = Object.keys(dealFields).filter((name) => name !== 'id')
    const cleared = Object.fromEntries(names.map((name) => [name, null]))
    expect(read(cleared)).toEqual({ record: { id: 1n, ...cleared } })
  })

  test('names all that is wrong with it, in the order of the interface, persons by their path', () => {
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
        { field: 'id', reason: anInteger },
        { field: 'owner.id', reason: anInteger },
        { field: 'owner.email', reason: aString },
        { field: 'amount', reason: 'must be a number' },
        { field: 'hasHoa', reason: 'must be true or false' },
        { field: 'lastModified', reason: aTime },
        { field: 'partner', reason: "must be a partner's slug" },
      ],
    })
  })

  test('may name its partner, or that it has none', () => {
    expect(read({ partner: 'sunline' })).toEqual({ record: { id: 1n, partner: 'sunline' } })
    expect(read({ partner: null })).toEqual({ record: { id: 1n, partner: null } })
    for (const partner of [7, true, {}, ['sunline']])
      expect(read({ partner })).toEqual(faultOf('partner', "must be a partner's slug"))
  })

  test('drops fields that no deal has, which unknownFields names', () => {
    const value = { id: 1, colour: 'red', partner: 'p', Stage: 'x', owner: { id: 2, nick: 'M' } }
    expect(readRecord(value)).toEqual({ record: { id: 1n, partner: 'p', owner: { id: 2n } } })
    expect(unknownFields(value)).toEqual(['colour', 'Stage'])
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
    [1.5],
    [2 ** 53],
    [1e21],
    [NaN],
    [Infinity],
    [int64Max + 1n],
    [int64Min - 1n],
    ['1'],
    [''],
    [true],
    [[1]],
    [{}],
  ])('may not be %s', (id) => expect(readRecord({ id })).toEqual(faultOf('id', anInteger)))
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
  ])('may hold %s, and keeps it as it is', (_what, text) => expect(readOne('notes', text)).toBe(text))

  test.each([
    ['NUL', 'a\0b'],
    ['the first half of a surrogate pair', 'a\uD83D'],
    ['the second half', '\uDC69a'],
    ['a pair the wrong way round', '\uDC69\uD83D'],
  ])('may not hold %s, which the database cannot keep', (_what, text) =>
    expect(readOne('notes', text)).toEqual([{ field: 'notes', reason: aString }]),
  )

  test.each([[1], [1n], [true], [[]], [{}], [['a']]])('may not be %s', (value) => {
    expect(readOne('zipCode', value)).toEqual([{ field: 'zipCode', reason: aString }])
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

  test.each([['1'], [''], [true], [NaN], [Infinity], [-Infinity], [[1]], [{}]])('may not be %s', (value) => {
    expect(readOne('amount', value)).toEqual([{ field: 'amount', reason: 'must be a number' }])
  })

  test('may not be an integer beyond all doubles, even where other integers are long', () => {
    for (const text of [
      `{"id":1,"amount":1${'0'.repeat(400)}}`,
      `{"id":9007199254740993,"amount":1${'0'.repeat(400)}}`,
      '{"id":1,"amount":1e400}',
    ]) {
      expect(readRecord(parseJson(text)), text).toEqual(faultOf('amount', 'must be a number'))
    }
  })
})

describe('a flag', () => {
  test.each([[true], [false], [null]])('may be %s', (value) => expect(readOne('hasHoa', value)).toBe(value))

  test.each([[0], [1], ['true'], ['false'], [''], [[]], [{}]])('may not be %j', (value) => {
    expect(readOne('hasHoa', value)).toEqual([{ field: 'hasHoa', reason: 'must be true or false' }])
  })
})

describe('a time', () => {
  test('is brought into the form that partners receive', () => {
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
    expect(readOne('lastModified', value)).toEqual([{ field: 'lastModified', reason: aTime }])
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

  test('is read like a record of its own', () => {
    expect(Object.keys(whole)).toEqual(Object.keys(personFields))
    expect(readOne('permitCoordinator', whole)).toEqual({
      ...whole,
      id: 41_203n,
      createdAt: '2023-04-11T15:02:44.000Z',
    })
  })

  test('needs an id and nothing else', () => {
    expect(readOne('owner', { id: 5 })).toEqual({ id: 5n })
    expect(readOne('owner', {})).toEqual([{ field: 'owner.id', reason: anInteger }])
    expect(readOne('owner', { id: null, email: 'm@example.com' })).toEqual([
      { field: 'owner.id', reason: anInteger },
    ])
  })

  test.each([['Maria'], [5], [true], [[]], [[{ id: 1 }]]])('may not be %j', (value) => {
    expect(readOne('owner', value)).toEqual([
      { field: 'owner', reason: 'must be a person (an object) or null' },
    ])
  })
})

describe('a hostile record', () => {
  test('cannot speak through __proto__, constructor or toString', () => {
    const value = parseJson(
      '{"id":1,"__proto__":{"stage":"x","owner":{"id":2}},"constructor":{"prototype":{}},"toString":"x","hasOwnProperty":1}',
    )
    expect(readRecord(value)).toEqual({ record: { id: 1n } })
    expect(unknownFields(value as object)).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect(readRecord(parseJson('{"__proto__":{"id":1}}'))).toEqual(faultOf('id', anInteger))
    expect(readOne('owner', parseJson('{"__proto__":{"id":1}}'))).toEqual([
      { field: 'owner.id', reason: anInteger },
    ])
  })

  test('may nest to any depth in unknown fields', () => {
    let deep: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    expect(read({ colour: deep })).toEqual({ record: { id: 1n } })
    expect(readOne('owner', { id: 1, email: deep })).toEqual([{ field: 'owner.email', reason: aString }])
  })
})
