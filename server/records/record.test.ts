import { describe, expect, test } from 'vitest'
import { type DealField, dealFields, personFields } from '../deals/deal.ts'
import { int64Max, int64Min, parseJson } from '../values/int64.ts'
import { Unreadable } from '../values/value.ts'
import { readRecord, unknownFields } from './record.ts'

const noId = 'is not an ID; use a whole number such as 20411000193'
const notStored = 'has a character that cannot be stored; remove it'

const read = (fields: object) => readRecord({ id: 1, ...fields })

/** Returns the value of a single field, or the reason it cannot be read. */
function readOne(field: DealField, value: unknown): unknown {
  const result = read({ [field]: value })
  if ('faults' in result) return result.faults
  return result.unreadable.length > 0 ? result.unreadable.map(({ reason }) => reason) : result.record[field]
}

const whole = (record: object) => ({ record, unreadable: [] })
const faultOf = (field: string | null, reason: string) => ({ faults: [{ field, reason }] })

describe('a deal record', () => {
  test.each([
    ['null', null],
    ['a list', []],
    ['a list of records', [{ id: 1 }]],
    ['text', 'id'],
    ['a number', 1],
    ['true', true],
    ['nothing', undefined],
  ])('may not be %s', (_what, value) =>
    expect(readRecord(value)).toEqual(faultOf(null, 'is not a JSON object')),
  )

  test('requires only an id, and has only the given fields', () => {
    expect(readRecord({ id: 20_411_000_193 })).toEqual(whole({ id: 20_411_000_193n }))
  })

  test('is rejected without an id', () => {
    expect(readRecord({})).toEqual(faultOf('id', 'is missing'))
    expect(readRecord({ id: null })).toEqual(faultOf('id', 'is empty'))
    expect(readRecord({ dealname: 'a' })).toEqual(faultOf('id', 'is missing'))
  })

  test('distinguishes absent and null fields', () => {
    expect(read({ stage: null, notes: undefined })).toEqual(whole({ id: 1n, stage: null }))
  })

  test('may clear every field but the id', () => {
    const names = Object.keys(dealFields).filter((name) => name !== 'id')
    const cleared = Object.fromEntries(names.map((name) => [name, null]))
    expect(read(cleared)).toEqual(whole({ id: 1n, ...cleared }))
  })

  test('is rejected only for its id, partner or stage, and then lists all problems', () => {
    expect(
      readRecord({
        hasHoa: 'maybe',
        owner: { email: {} },
        id: 'x',
        partner: 7,
        stage: ['Won'],
        amount: 'abc',
      }),
    ).toEqual({
      faults: [
        { field: 'id', reason: `“x” ${noId}` },
        { field: 'owner.id', reason: 'is empty' },
        { field: 'owner.email', reason: '“{…}” is not text; put it in quotes' },
        { field: 'stage', reason: '“[…]” is not text; put it in quotes' },
        { field: 'amount', reason: '“abc” is not a number; use one such as 30800.50' },
        { field: 'hasHoa', reason: '“maybe” is neither yes nor no; use one of them' },
        { field: 'partner', reason: '“7” is not the slug of a partner; the list of partners has the slugs' },
      ],
    })
  })

  test('otherwise loses only its unreadable values, in the order of the interface', () => {
    expect(
      readRecord({
        id: 1,
        dealname: 'Ortiz, Mia',
        lastModified: 'today',
        owner: { id: 2, email: 'a\uD83Db' },
        amount: 'abc',
        hasHoa: [],
        stage: 'CAD Design',
      }),
    ).toEqual({
      record: { id: 1n, dealname: 'Ortiz, Mia', stage: 'CAD Design' },
      unreadable: [
        { field: 'owner.email', reason: notStored, text: 'a\uD83Db' },
        { field: 'amount', reason: '“abc” is not a number; use one such as 30800.50', text: 'abc' },
        { field: 'hasHoa', reason: '“[…]” is neither yes nor no; use one of them', text: '[…]' },
        { field: 'lastModified', reason: '“today” is not a date; use one such as 2026-03-01', text: 'today' },
      ],
    })
  })

  test('names the unreadable cells of a table', () => {
    const cellOf = (field: string) =>
      field === 'amount' ? { title: 'Contract $', text: ' abc ' } : undefined
    const value = { id: 1, amount: new Unreadable('is the error #REF!') }
    expect(readRecord(value, cellOf)).toMatchObject({
      unreadable: [{ field: 'amount', title: 'Contract $', text: ' abc ', reason: 'is the error #REF!' }],
    })
  })

  test('reads a string according to the type of its field', () => {
    expect(
      read({
        id: '0862000006',
        dealname: ' Ortiz\u00a0',
        zipCode: '85003.0',
        amount: '$1,234.50',
        hasHoa: 'yes',
        permitSubmitted: 'Mar 4, 2026',
        battery: 'N/A',
        stage: '(No value)',
        owner: { id: '5', userId: '7.0' },
      }),
    ).toEqual(
      whole({
        id: 862_000_006n,
        dealname: 'Ortiz',
        zipCode: '85003',
        amount: 1234.5,
        hasHoa: true,
        permitSubmitted: '2026-03-04T00:00:00.000Z',
        battery: null,
        stage: null,
        owner: { id: 5n, userId: 7n },
      }),
    )
  })

  test('may name its partner or null, and keeps its partner for an empty string', () => {
    expect(read({ partner: ' sunline ' })).toEqual(whole({ id: 1n, partner: 'sunline' }))
    expect(read({ partner: null })).toEqual(whole({ id: 1n, partner: null }))
    for (const partner of ['', ' ', 'N/A']) expect(read({ partner })).toEqual(whole({ id: 1n }))
    for (const partner of [7, true, {}, ['sunline']])
      expect(read({ partner })).toMatchObject({ faults: [{ field: 'partner' }] })
  })

  test('drops unknown fields, which unknownFields lists', () => {
    const value = { id: 1, color: 'red', partner: 'p', Stage: 'x', owner: { id: 2, nick: 'M' } }
    expect(readRecord(value)).toEqual(whole({ id: 1n, partner: 'p', owner: { id: 2n } }))
    expect(unknownFields(value)).toEqual(['color', 'Stage'])
  })
})

describe('a record id', () => {
  test.each([
    [0, 0n],
    [-1, -1n],
    [Number.MAX_SAFE_INTEGER, 9_007_199_254_740_991n],
    [9_007_199_254_740_993n, 9_007_199_254_740_993n],
    [int64Max, int64Max],
    [int64Min, int64Min],
  ])('may be %s', (id, value) => expect(readRecord({ id })).toEqual(whole({ id: value })))

  test.each([
    [1.5, `“1.5” ${noId}`],
    [2 ** 53, `“9007199254740992” ${noId}`],
    [1e21, `“1e+21” ${noId}`],
    [NaN, `“NaN” ${noId}`],
    [true, `“true” ${noId}`],
    [Infinity, `“Infinity” ${noId}`],
    [int64Max + 1n, '“9223372036854775808” is too large; use a whole number up to 9223372036854775807'],
    [int64Min - 1n, '“-9223372036854775809” is too large; use a whole number up to 9223372036854775807'],
    ['', 'is empty'],
    ['N/A', 'is empty'],
    [' '.repeat(10_000), 'is empty'],
    [[1], `“[…]” ${noId}`],
    [{}, `“{…}” ${noId}`],
  ])('may not be %s', (id, reason) => expect(readRecord({ id })).toEqual(faultOf('id', reason)))
})

describe('a text value', () => {
  test.each([
    ['quotes', '"\'\\'],
    ['markup', '<script>alert(1)</script>'],
    ['SQL', "'; drop table deals; --"],
    ['lines', 'a\r\nb\tc\u2028d'],
    ['control characters', 'a\u0001\u001F\u007Fb'],
    ['a byte order mark', 'a\uFEFFb'],
    ['right-to-left text', 'שלום\u202Eם'],
    ['an emoji', '👩‍👩‍👧'],
    ['the last code point', '\u{10FFFF}'],
    ['100,000 characters', 'ä'.repeat(100_000)],
  ])('may contain %s, unchanged', (_what, text) => expect(readOne('notes', text)).toBe(text))

  test.each([
    ['the first half of a surrogate pair', 'a\uD83D'],
    ['the second half of a surrogate pair', '\uDC69a'],
    ['a surrogate pair in the wrong order', '\uDC69\uD83D'],
  ])('may not contain %s, which the database cannot store', (_what, text) =>
    expect(readOne('notes', text)).toEqual([notStored]),
  )

  test.each([[true], [[]], [{}], [['a']]])('may not be %s', (value) => {
    expect(readOne('zipCode', value)).toEqual([expect.stringContaining('is not text')])
  })

  test.each([
    [85_003, '85003'],
    [1n, '1'],
    [7.2, '7.2'],
  ])('is read from the number %s', (value, text) => expect(readOne('zipCode', value)).toBe(text))

  test.each(['', '  ', 'N/A', '—'])('is null for %j', (text) => expect(readOne('notes', text)).toBeNull())
})

test.each<[DealField, unknown, unknown]>([
  ['basePpw', 0, 0],
  ['basePpw', 30_800, 30_800],
  ['basePpw', 5e-324, 5e-324],
  ['basePpw', 9_007_199_254_740_993n, 9_007_199_254_740_992],
  ['basePpw', '3.125', 3.125],
  ['totalPpw', 3.4954, 3.4954],
  ['hasHoa', true, true],
  ['hasHoa', null, null],
  ['hasHoa', 1, true],
  ['hasHoa', 0, false],
  ['hasHoa', 'false', false],
  ['hasHoa', '', null],
  ['lastModified', '2026-03-01T10:20:05-07:00', '2026-03-01T17:20:05.000Z'],
  ['lastModified', 1_772_385_605_000, '2026-03-01T17:20:05.000Z'],
  ['lastModified', '2026-03-01', '2026-03-01T00:00:00.000Z'],
  // Odoo writes a reference as a pair, and an empty value as false.
  ['stage', [4, 'Won'], 'Won'],
  ['stageId', [4, 'Won'], '4'],
  ['totalPpw', [4, '3.5'], 3.5],
  ...(['stage', 'stageId', 'amount', 'lastModified', 'proposalLink', 'owner'] as const).flatMap(
    (field): [DealField, unknown, unknown][] => [
      [field, false, null],
      [field, 'False', null],
    ],
  ),
])('reads the field %s from %s', (field, value, expected) => expect(readOne(field, value)).toBe(expected))

test.each<[DealField, unknown, string]>([
  ...[[1], {}].map((value): [DealField, unknown, string] => ['amount', value, 'is not a number']),
  ...[2, 'maybe', [], {}].map((value): [DealField, unknown, string] => [
    'hasHoa',
    value,
    'is neither yes nor no',
  ]),
  ...['2026-02-30T00:00:00Z', true, 5, {}, ['2026-03-01T17:20:05Z']].map(
    (value): [DealField, unknown, string] => ['lastModified', value, '2026-03-01'],
  ),
])('rejects for the field %s the value %s', (field, value, reason) =>
  expect(readOne(field, value)).toEqual([expect.stringContaining(reason)]),
)

describe('a number value', () => {
  test.each([
    [31_050.123, 31_050.12],
    ['31050.125', 31_050.13],
    ['$25,199.99999999999', 25_200],
    [0.30000000000000004, 0.3],
    ['1e15', 1e15],
    [1e308, 1e308],
  ])('is rounded to cents if it is an amount: %s', (value, number) => {
    expect(readOne('amount', value)).toBe(number)
    expect(readOne('adderCost', value)).toBe(number)
  })

  test.each([['x'], [true], [Infinity], [-Infinity]])('may not be %s', (value) => {
    expect(readOne('amount', value)).toEqual([`“${value}” is not a number; use one such as 30800.50`])
  })

  test('may not be an integer beyond the range of doubles, even if the record has other long integers', () => {
    for (const text of [
      `{"id":1,"amount":1${'0'.repeat(400)}}`,
      `{"id":9007199254740993,"amount":1${'0'.repeat(400)}}`,
      '{"id":1,"amount":1e400}',
    ]) {
      expect(readRecord(parseJson(text)), text).toMatchObject({ unreadable: [{ field: 'amount' }] })
    }
  })
})

describe('a person value', () => {
  const maria = {
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
    expect(Object.keys(maria)).toEqual(Object.keys(personFields))
    expect(readOne('permitCoordinator', maria)).toEqual({
      ...maria,
      id: 41_203n,
      createdAt: '2023-04-11T15:02:44.000Z',
    })
  })

  test('requires only an id', () => {
    expect(readOne('owner', { id: 5 })).toEqual({ id: 5n })
    expect(readOne('owner', {})).toEqual(['is empty'])
    expect(readOne('owner', { id: null, email: 'm@example.com' })).toEqual(['is empty'])
  })

  test.each([
    [[7, 'Maria Alvarez'], { id: 7n, firstName: 'Maria', lastName: 'Alvarez' }],
    ['Maria Alvarez', { firstName: 'Maria', lastName: 'Alvarez', email: null }],
    ['Alvarez, Maria', { firstName: 'Maria', lastName: 'Alvarez' }],
    ['Maria Alvarez, Jr.', { firstName: 'Maria Alvarez,', lastName: 'Jr.' }],
    ['maria@acme.example', { firstName: null, email: 'maria@acme.example' }],
    ['N/A', null],
  ])('is read from %s', (text, person) => {
    const owner = readOne('owner', text)
    if (person === null) expect(owner).toBeNull()
    else expect(owner).toMatchObject(person)
  })

  test.each([[5], [true], [[]], [[{ id: 1 }]]])('may not be %j', (value) => {
    expect(readOne('owner', value)).toEqual([expect.stringContaining('is not a person')])
  })
})

describe('a hostile record', () => {
  test('cannot inject __proto__, constructor or toString', () => {
    const value = parseJson(
      '{"id":1,"__proto__":{"stage":"x","owner":{"id":2}},"constructor":{"prototype":{}},"toString":"x","hasOwnProperty":1}',
    )
    expect(readRecord(value)).toEqual(whole({ id: 1n }))
    expect(unknownFields(value as object)).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect(readRecord(parseJson('{"__proto__":{"id":1}}'))).toEqual(faultOf('id', 'is missing'))
    expect(readOne('owner', parseJson('{"__proto__":{"id":1}}'))).toEqual(['is empty'])
  })

  test('may nest unknown fields to any depth', () => {
    let deep: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    expect(read({ color: deep })).toEqual(whole({ id: 1n }))
    expect(readOne('owner', { id: 1, email: deep })).toEqual([expect.stringContaining('is not text')])
  })
})
