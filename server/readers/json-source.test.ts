import { describe, expect, test } from 'vitest'
import { fileOf, mapAsSuggested, readRecords } from '#e2e/read-table.ts'
import { scratch } from '#e2e/scratch.ts'
import { type JsonForm, jsonFormOf, jsonSource } from './json-source.ts'
import { openSource } from './open-source.ts'

/** Reads all records of a file with this content, and their bytes as text. */
async function read(content: string | Buffer, form: JsonForm = 'lines', chunk?: number) {
  const source = jsonSource(fileOf(content, chunk), 'utf-8', form)
  const texts = await Array.fromAsync(source.items(), ({ raw }) => source.bytesOf(raw)?.toString() ?? null)
  return (await readRecords(source)).map((read, at) => ({ ...read, text: texts[at]! }))
}

const record = (id: number, more = '') => `{"id":${id}${more}}`
const item = (line: number, id: number) => ({ line, id: BigInt(id), text: record(id), value: { id } })

describe('the lines of an NDJSON file', () => {
  test.each([
    ['each with a line break', `${record(1)}\n${record(2)}\n`],
    ['the last without a line break', `${record(1)}\n${record(2)}`],
    ['with Windows line breaks', `${record(1)}\r\n${record(2)}\r\n`],
    ['after a byte order mark', `\uFEFF${record(1)}\n${record(2)}\n`],
  ])('are records: %s', async (_what, content) =>
    expect(await read(content)).toEqual([item(1, 1), item(2, 2)]),
  )

  test('are skipped if blank, but still counted', async () => {
    expect(await read(`\n${record(1)}\n\n  \t \r\n\r\n${record(2)}\n\n`)).toEqual([item(2, 1), item(6, 2)])
    expect(await read(`\uFEFF\n${record(1)}\n`)).toEqual([item(2, 1)])
  })

  test.each([
    ['nothing', ''],
    ['a byte order mark', '\uFEFF'],
  ])('are empty for a file that contains %s', async (_what, content) => {
    expect(await read(content)).toEqual([])
  })

  test('are complete, wherever the file is split into chunks', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => record(index, `,"notes":"${'ä'.repeat(index)}"`))
    for (const chunk of [1, 2, 7, 100])
      expect(
        (await read(` ${lines.join('\n')}`, 'lines', chunk)).map(({ line, value }) => [line, value]),
      ).toEqual(lines.map((line, index) => [index + 1, JSON.parse(line)]))
  })
})

describe('a line that is too long', () => {
  const tooLong = { id: null, text: null, faults: ['null is longer than 262144 bytes'] }
  const long = (bytes: number) => record(1, `,"notes":"${'x'.repeat(bytes - 19)}"`)

  test('is rejected, and the next line is read', async () => {
    expect(await read(`${record(1)}\n${long(300_000)}\n${record(2)}\n`)).toEqual([
      item(1, 1),
      { line: 2, ...tooLong },
      item(3, 2),
    ])
    expect(await read(`${long(2_000_000)}\r\n${record(2)}`)).toEqual([{ line: 1, ...tooLong }, item(2, 2)])
    expect(await read(`${record(1)}\n${long(300_000)}`)).toEqual([item(1, 1), { line: 2, ...tooLong }])
  })

  test('has 262,145 bytes or more', async () => {
    expect(long(262_144)).toHaveLength(262_144)
    expect(
      (await read(`${long(262_144)}\n${long(262_145)}\n`)).map(({ id, faults }) => [id, faults]),
    ).toEqual([
      [1n, undefined],
      [null, tooLong.faults],
    ])
  })
})

describe('a line that is not a record', () => {
  test.each([
    ['half of a record', '{"id":1', 'is not JSON'],
    ['endless brackets', '['.repeat(100_000), 'is not JSON'],
  ])('is reported: %s', async (_what, content, reason) => {
    expect((await read(`${content}\n${record(2)}`)).map((one) => one.faults?.[0] ?? one.id)).toEqual([
      `null ${reason}`,
      2n,
    ])
  })

  test('is rejected if it is not UTF-8', async () => {
    const latin1 = Buffer.from(record(1, ',"city":"M\xFCnchen"'), 'latin1')
    const [bad, good] = await read(Buffer.concat([latin1, Buffer.from(`\n${record(2)}`)]))
    expect(bad).toMatchObject({ line: 1, faults: ['null is not UTF-8'] })
    expect(good).toEqual(item(2, 2))
  })

  test.each(['[1]', '"x"', 'null'])('may be the JSON value %s, which has no id', async (content) => {
    expect(await read(content)).toEqual([{ line: 1, id: null, text: content, value: JSON.parse(content) }])
  })
})

test('may contain NaN and Infinity, which Python writes, as missing values, and end with a comma', async () => {
  expect(await read('{"id":1,"amount":NaN,"basePpw":-Infinity,"notes":"NaN \\" Infinity"},')).toMatchObject([
    { value: { id: 1, amount: null, basePpw: null, notes: 'NaN " Infinity' } },
  ])
  expect(await read('{"id":1,"amount":NaNs}')).toMatchObject([{ faults: ['null is not JSON'] }])
})

describe('the JSON format of a file', () => {
  test.each([
    ['{"id":1}\n{"id":2}', 'lines'],
    ['{"id":1,"tags":[{"a":1}]}', 'lines'],
    ['{"stage":"x","tags":[{"a":1}],"id":1}\n{"id":2}', 'lines'],
    ['{"type":"deal.updated","data":{"id":1}}', 'lines'],
    ['{}', 'lines'],
    ['[{"id":1}]', 'list'],
    ['[\n  {\n    "id": 1', 'list'],
    ['[]', 'list'],
    ['[null]', 'list'],
    ['{\n  "id": 1\n}\n{\n  "id": 2\n}', 'sequence'],
    ['{"page":1,"pages":3,"count":30,"deals":[{"id":1}', 'listInObject'],
    ['{\n  "total": 1,\n  "next": null,\n  "results": [\n    {"id":1}', 'listInObject'],
    ['[id],[dealname]', null],
    ['[Deal ID];[Deal]', null],
    ['{id},{name}', null],
    ['id,dealname', null],
  ] as const)('that begins with %j is %s', (start, form) => expect(jsonFormOf(start)).toBe(form))
})

describe('a JSON list of records', () => {
  const idsOf = async (content: string, form: JsonForm) =>
    (await read(content, form)).map(({ line, id, faults }) => [line, faults?.[0] ?? id])

  test.each([
    ['in one line', '[{"id":1},{"id":2}]', [1, 2]],
    ['of one record per line', '[\n{"id":1},\n{"id":2}\n]\n', [2, 3]],
    [
      'with a byte order mark, indented',
      '\uFEFF[\r\n  {\r\n    "id": 1\r\n  },\r\n  {\r\n    "id": 2\r\n  }\r\n]',
      [2, 5],
    ],
    ['with a trailing comma', '[{"id":1},{"id":2},]', [1, 2]],
    ['after another list', '[{"id":1}]\n[{"id":2}]', [1, 2]],
    [
      'with brackets and quotes in texts',
      '[{"id":1,"notes":"]}\\"[{"},\n{"notes":["}",{"a":"\\\\"}],"id":2}]',
      [1, 2],
    ],
  ])('has records: %s', async (_what, content, lines) =>
    expect(await idsOf(content, 'list')).toEqual([
      [lines[0], 1n],
      [lines[1], 2n],
    ]),
  )

  test.each([
    [
      'a list in an object',
      '{"page":1,"deals":[\n{"id":1},\n{"id":2}],"next":{"a":[{"id":3}]},"more":[4]}',
      'listInObject',
      [2, 3],
    ],
    ['several pages', '{"deals":[{"id":1}],"page":1}\n{"deals":[{"id":2}],"page":2}', 'listInObject', [1, 2]],
    [
      'records one after another',
      '{\n  "id": 1\n}\n{\n  "id": 2,\n "owner": {"id": 7}\n}\n',
      'sequence',
      [1, 4],
    ],
  ] as const)('may be written as %s', async (_what, content, form, lines) =>
    expect(await idsOf(content, form)).toEqual([
      [lines[0], 1n],
      [lines[1], 2n],
    ]),
  )

  test('yields no records if it is empty', async () => {
    for (const content of ['[]', '[\n]', '[', '']) expect(await idsOf(content, 'list')).toEqual([])
  })

  test('loses only a broken record, and everything after a record that never ends', async () => {
    expect(await idsOf('[{"id":1},\n{"id":2,"a":tru},\n5,"x",null,\n{"id":3}]', 'list')).toEqual([
      [1, 1n],
      [2, 'null is not JSON'],
      [3, null],
      [4, null],
      [5, null],
      [6, 3n],
    ])
    const cutOff = expect.stringMatching(/^null has no end: the file is cut off, or /)
    for (const rest of ['{"id":2', '{"id":2,"notes":"a', '{"id":2,"notes":"5" roof"},\n{"id":3}]', '"x'])
      expect(await idsOf(`[{"id":1},\n${rest}`, 'list')).toEqual([
        [1, 1n],
        [2, cutOff],
      ])
  })

  test('rejects a record that is too long, and reads the next record', async () => {
    const long = (bytes: number) => record(1, `,"notes":"${'x'.repeat(bytes - 19)}"`)
    expect(
      await idsOf(`[${long(262_144)},${long(262_145)},\n${long(3_000_000)},${record(2)}]`, 'list'),
    ).toEqual([
      [1, 1n],
      [2, 'null is longer than 262144 bytes'],
      [3, 'null is longer than 262144 bytes'],
      [4, 2n],
    ])
  })

  test('is read completely, wherever the file is split into chunks', async () => {
    const records = Array.from({ length: 60 }, (_, index) =>
      record(index, `,"notes":"ä\\"{[${'ä'.repeat(index)}"`),
    )
    for (const chunk of [1, 2, 7, 100])
      expect(
        (await read(`[${records.join(',\n')}]`, 'list', chunk)).map(({ line, text }) => `${line} ${text}`),
      ).toEqual(records.map((text, index) => `${index + 1} ${text}`))
  })
})

describe('the id of a JSON record', () => {
  test.each([
    ['first', '{"id":5,"stage":"x"}', 5n],
    ['last', '{"stage":"x","id":5}', 5n],
    ['the smallest, last', '{"stage":"x","id":-9223372036854775808}', -9_223_372_036_854_775_808n],
    ['beyond 2^53', '{"stage":"x","id":9007199254740993}', 9_007_199_254_740_993n],
    ['written with an exponent', '{"id":1e3}', 1000n],
    ['a text', '{"id":"862000006"}', 862_000_006n],
    ['a text as formatted by a spreadsheet', '{"stage":"x","id":" 862,000,006.0 "}', 862_000_006n],
    ['after a nested id', '{"owner":{"id":7},"id":5}', 5n],
  ])('is found at any position: %s', async (_what, content, id) =>
    expect((await read(content))[0]!.id).toBe(id),
  )

  test.each([
    ['too large', '{"id":9223372036854775808}'],
    ['far too large', '{"stage":"x","id":99999999999999999999999999}'],
    ['null', '{"id":null}'],
    ['missing', '{"stage":"x"}'],
    ["only a person's", '{"owner":{"id":7}}'],
  ])('is missing if it is %s', async (_what, content) => expect((await read(content))[0]!.id).toBeNull())
})

const { write } = scratch()

async function open(content: string) {
  const path = await write(content)
  return openSource(path, `${path}.rows`)
}

/** Reads the values of a file with the suggested fields for its keys, by line. */
async function readTable(content: string) {
  const { source } = (await mapAsSuggested(await open(content), false))!
  return Object.fromEntries((await readRecords(source)).map(({ line, value }) => [line, value]))
}

test('maps keys that match titles to fields, whatever the type of their values', async () => {
  const records = [
    { 'Deal ID': 9_007_199_254_740_991, 'Customer Name': 'Ortiz, Mia', 'Contract $': 500.5, Battery: true },
    { 'Deal ID': '7', 'Customer Name': null, Battery: 'no', 'Permit Submitted': '3/4/2026' },
  ]
  expect(await readTable(JSON.stringify(records))).toMatchObject({
    1: { id: 9_007_199_254_740_991n, dealname: 'Ortiz, Mia', amount: 500.5, hasBattery: true },
    2: { id: 7n, dealname: null, hasBattery: false, permitSubmitted: '2026-03-04T00:00:00.000Z' },
  })
})

test('finds the values of nested objects and lists', async () => {
  const record = {
    'Job #': 5,
    Customer: { 'First Name': 'Mia', 'Last Name': 'Ortiz' },
    Address: { City: 'Mesa', State: 'AZ' },
    Adders: ['Critter guard', { name: 'EV charger' }],
    Stage: { id: 'rec1', name: 'NTP' },
  }
  expect(await readTable(JSON.stringify([record]))).toMatchObject({
    1: {
      id: 5n,
      firstName: 'Mia',
      lastName: 'Ortiz',
      city: 'Mesa',
      state: 'AZ',
      adders: 'Critter guard, EV charger',
    },
  })
})

test("reads Odoo references by id and name, and Odoo's false as empty", async () => {
  const record = { id: 7, name: 'Mia Ortiz', stage_id: [4, 'Won'], user_id: [2, 'Max Lee'], city: 'Mesa' }
  const empty = { ...record, id: 8, stage_id: false, city: false, battery: false }
  const [first, second] = Object.values(await readTable(JSON.stringify([record, empty])))
  expect(first).toMatchObject({ id: 7n, dealname: 'Mia Ortiz', stage: 'Won', stageId: '4' })
  expect(second).toMatchObject({ id: 8n, stage: null, stageId: null, city: null })
})

test('finds a key that only a later record has, and rejects a record that is not an object', async () => {
  const lines = Array.from({ length: 150 }, (_, at) => JSON.stringify({ 'Job #': at + 1, Customer: 'Mia' }))
  const found = await readTable([...lines, '{"Job #":151,"City":"Mesa"}', '{"Job #":152'].join('\n'))
  expect(found[151]).toMatchObject({ id: 151n, city: 'Mesa' })
  expect(found[152]).toMatchObject({ id: '! cannot be read: the record is not JSON' })
})

test.each([
  '{"id":1,"dealname":"Mia","Color":"red"}',
  '{"id":1,"stage":"NTP","status":"x"}',
  '{"id":1,"owner":{"id":2,"firstName":"Max","lastName":"Lee"}}',
  '{"id":1}',
  '{"Color":"red"}',
  '[1,2]',
  '',
])('field names need no mapping: %s', async (content) =>
  expect((await open(content)).readTable).toBeUndefined(),
)
