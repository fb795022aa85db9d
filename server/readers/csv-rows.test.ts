import { describe, expect, test } from 'vitest'
import { fileOf, readRecords } from '#e2e/read-table.ts'
import {
  rowFormatOf,
  delimiterOf,
  formatName,
  isSeparatorLine,
  csvSource,
  type CsvRow,
  csvRows,
  type TextFormat,
} from './csv-rows.ts'

/** Parses a string that arrives in chunks of this many characters. */
async function rowsOf(text: string, { delimiter = ',', chunk = text.length || 1 } = {}): Promise<CsvRow[]> {
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += chunk) chunks.push(text.slice(at, at + chunk))
  return Array.fromAsync(csvRows(chunks, delimiter))
}

const cellsOf = async (text: string, delimiter = ',') =>
  (await rowsOf(text, { delimiter })).map(({ cells }) => cells)

test.each([
  ['in quotes', '"a, ""b""\r\nc","",d', [['a, "b"\r\nc', '', 'd']]],
  [
    'inch marks',
    '1,2" conduit and 3/4" strap,x\n2,6\' 2",y',
    [
      ['1', '2" conduit and 3/4" strap', 'x'],
      ['2', '6\' 2"', 'y'],
    ],
  ],
  ['a quoted word at the start', '1,"Al" the man,x', [['1', 'Al the man', 'x']]],
  ['quotes within quotes that are not doubled', '1,"a "quoted" word",x', [['1', 'a quoted" word"', 'x']]],
  ['quotes after a space', '1, "Ortiz, Mia" , x', [['1', 'Ortiz, Mia', ' x']]],
  ['a quoted word after a space', '1, "Al" the man,x', [['1', ' "Al" the man', 'x']]],
  [
    'only a quote',
    '1,",x\n2,y,z',
    [
      ['1', '"', 'x'],
      ['2', 'y', 'z'],
    ],
  ],
  [
    'a quote that is never closed',
    '1,"open,x\n2,y,z\n',
    [
      ['1', '"open', 'x'],
      ['2', 'y', 'z'],
    ],
  ],
  [
    'a quote that only another cell could close',
    '1,"open,x\n2,"Diaz, Jo",z\n',
    [
      ['1', '"open', 'x'],
      ['2', 'Diaz, Jo', 'z'],
    ],
  ],
  ['nothing', '', []],
  ['blank lines', 'a\n\nb', [['a'], [''], ['b']]],
  ['NUL and a DOS end-of-file character', 'a\0,b\r\n\x1a', [['a', 'b']]],
  ['a CR at the end', 'a,b\r', [['a', 'b']]],
])('reads %s, wherever the text is split into chunks', async (_what, text, rows) => {
  for (let chunk = 1; chunk <= text.length + 1; chunk++)
    expect((await rowsOf(text, { chunk })).map(({ cells }) => cells)).toEqual(rows)
})

test.each([';', '\t', '|', '~'])('cells may be separated by %j', async (delimiter) => {
  const text = ['1', '"x, y"', ' z'].join(delimiter)
  expect(await cellsOf(text, delimiter)).toEqual([['1', 'x, y', ' z']])
  expect(await cellsOf(['', '', ''].join(delimiter), delimiter)).toEqual([['', '', '']])
})

test('a row has the line number where it starts, for any kind of line ending', async () => {
  const lines = async (text: string) => (await rowsOf(text)).map(({ line, cells }) => `${line} ${cells[0]}`)
  for (const end of ['\n', '\r\n', '\r'])
    expect(await lines(['a', '"b', 'c"', '', 'd,"x"', 'e'].join(end))).toEqual([
      '1 a',
      `2 b${end}c`,
      '4 ',
      '5 d',
      '6 e',
    ])
  expect(await lines('a\r\nb\rc\nd')).toEqual(['1 a', '2 b', '3 c', '4 d'])
})

test('skips a row that is too long, and continues after it', async () => {
  const long = 'x'.repeat(300_000)
  for (const chunk of [65_536, 1_000_000])
    expect(await rowsOf(`1,a\n2,${long}\n3,"${long}"\n4,b\n`, { chunk })).toEqual([
      { line: 1, cells: ['1', 'a'] },
      { line: 2, cells: [], isTooLong: true },
      { line: 3, cells: [], isTooLong: true },
      { line: 4, cells: ['4', 'b'] },
    ])
  expect((await rowsOf(`1,"${'x\n'.repeat(200_000)}`)).slice(0, 2)).toEqual([
    { line: 1, cells: ['1', '"x'] },
    { line: 2, cells: ['x'] },
  ])
})

const read = (content: string | Buffer, format?: TextFormat) =>
  readRecords(csvSource(fileOf(content), format))
const values = async (content: string | Buffer) => (await read(content)).map(({ value }) => value)

describe('a CSV file', () => {
  test.each([
    ['plainly', 'id,stage\n1,NTP\n2,Permit\n'],
    ['as on Windows, without a final line break', 'id,stage\r\n1,NTP\r\n2,Permit'],
    ['as on old Macs', 'id,stage\r1,NTP\r2,Permit\r'],
    ['with a byte order mark before a quote', '\uFEFF"id","stage"\r\n"1","NTP"\r\n"2","Permit"\r\n'],
  ])('may be written %s', async (_what, content) => {
    expect(await read(content)).toEqual([
      { line: 2, id: 1n, value: { id: 1n, stage: 'NTP' } },
      { line: 3, id: 2n, value: { id: 2n, stage: 'Permit' } },
    ])
  })

  test('is read up to the thousandth column with content', async () => {
    const header = (count: number) =>
      Array.from({ length: count }, (_, index) => (index === count - 1 ? 'id' : `c${index}`)).join(',')
    expect(await read(`${header(1000)}\n${','.repeat(999)}7\n`)).toMatchObject([{ id: 7n }])
    expect(await read(`${header(20_000)}\n${','.repeat(19_999)}7\n`)).toMatchObject([{ id: 7n }])
    const wide = `id,x${',x'.repeat(1500)}\n7,y${',y'.repeat(1500)}\n`
    expect(await read(wide)).toMatchObject([{ id: 7n }])
  })

  test('with only a header is rejected with the reason', async () => {
    for (const content of ['id,stage\n', 'id'])
      await expect(read(content)).rejects.toThrow('there is no row to import')
    for (const content of ['', '\n', '\uFEFF']) expect(await read(content)).toEqual([])
  })

  test('without an id column is rejected completely', async () =>
    expect(read('Phase,notes\n1,2\n')).rejects.toThrow(
      'No column is read as the deal\'s id. Name it "id" or "Deal ID". Columns found: Phase, notes.',
    ))

  test('is read before and after a record that is too long', async () => {
    expect(await read(`id,notes\n1,a\n2,${'x'.repeat(300_000)}\n3,c\n`)).toMatchObject([
      { id: 1n },
      { line: 3, id: null, faults: ['null is longer than 262144 characters'] },
      { id: 3n },
    ])
  })
})

describe('a cell of a CSV file', () => {
  test('clears its field if empty; a missing column keeps the field', async () => {
    expect(await values('id,stage,amount,hasHoa,lastModified,notes\n1,,,,,""\n')).toEqual([
      { id: 1n, stage: null, amount: null, hasHoa: null, lastModified: null, notes: null },
    ])
  })

  test('is ignored if it is an empty partner', async () => {
    expect(await values('id,partner\n1,\n2,sunline\n')).toEqual([{ id: 1n }, { id: 2n, partner: 'sunline' }])
  })

  test("is parsed by its field's type", async () => {
    expect(
      await values(
        'id,zipCode,amount,hasHoa,hasBattery,m2Approved,lastModified,loanAmount\n7,00501,-1.5e3,true,FALSE,True,2026-03-01T17:20:05Z,30800.00\n',
      ),
    ).toEqual([
      {
        id: 7n,
        zipCode: '00501',
        amount: -1500,
        hasHoa: true,
        hasBattery: false,
        m2Approved: true,
        lastModified: '2026-03-01T17:20:05.000Z',
        loanAmount: '30800.00',
      },
    ])
  })

  test.each([
    ['id', '0x1'],
    ['amount', '1.2.3'],
    ['hasHoa', 'maybe'],
    ['hasHoa', '__proto__'],
    ['lastModified', '13/13/2026'],
    ['owner.id', 'x'],
    ['owner.createdAt', 'today'],
    ['stage', '#REF!'],
  ])('of %s with %j is unreadable, with a reason', async (title, cell) => {
    const row = { id: '1', ...(title === 'owner.createdAt' && { 'owner.id': '2' }), [title]: `"${cell}"` }
    const [value] = await values(`${Object.keys(row).join()}\n${Object.values(row).join()}\n`)
    expect(value).toHaveProperty(title, expect.stringMatching(/^! /))
  })

  test('is the only unreadable one if it is not UTF-8', async () => {
    const items = await read(
      Buffer.concat([
        Buffer.from('id,city,stage\n1,M'),
        Buffer.from([0xfc]),
        Buffer.from('nchen,NTP\n2,München,NTP\n'),
      ]),
    )
    expect(items).toEqual([
      {
        line: 2,
        id: 1n,
        value: {
          id: 1n,
          city: '! has characters that cannot be read; choose the encoding of the file',
          stage: 'NTP',
        },
      },
      { line: 3, id: 2n, value: { id: 2n, city: 'München', stage: 'NTP' } },
    ])
  })
})

describe('a person in a CSV file', () => {
  test('consists of the columns that begin with its name', async () => {
    expect(
      await values(
        'id,owner.id,owner.email,owner.createdAt,projectManager.id,projectManager.userId\n1,5,m@example.com,2023-04-11T15:02:44Z,6,9007199254740993\n',
      ),
    ).toEqual([
      {
        id: 1n,
        owner: { id: 5n, email: 'm@example.com', createdAt: '2023-04-11T15:02:44.000Z' },
        projectManager: { id: 6n, userId: 9_007_199_254_740_993n },
      },
    ])
  })

  test('is cleared only if all of its cells are empty', async () => {
    expect(await values('id,owner.id,owner.email\n1,,\n2,5,\n')).toEqual([
      { id: 1n, owner: null },
      { id: 2n, owner: { id: 5n, email: null } },
    ])
  })
})

describe('a row of a CSV file', () => {
  test('may be shorter or longer than the header', async () => {
    expect(await values('id,stage,notes\n1,a\n2,a,b,c,d\n3,a,b\n4\n')).toEqual([
      { id: 1n, stage: 'a', notes: null },
      { id: 2n, stage: 'a', notes: 'b' },
      { id: 3n, stage: 'a', notes: 'b' },
      { id: 4n, stage: null, notes: null },
    ])
  })

  test('with only separators and spaces is skipped', async () => {
    expect(await values('id,stage\n,\n1,a\n , \n\u00a0,\n2,b\n')).toEqual([
      { id: 1n, stage: 'a' },
      { id: 2n, stage: 'b' },
    ])
  })
})

test.each(['color', 'owner.nick', 'owner.id.x', 'stage.id', '', '__proto__', 'toString'])(
  'the column %j matches no field',
  async (title) => expect(await values(`id,"${title}"\n1,x\n`)).toEqual([{ id: 1n }]),
)

describe('the table in a CSV file', () => {
  const tableOf = (content: string) => csvSource(fileOf(content)).readTable!()
  const columnsOf = async (content: string) =>
    (await tableOf(content)).columns.map(({ title, tally, untitled }) => [title, tally.filled, untitled])

  test('has the columns with a title or content', async () => {
    expect(await columnsOf('id,,"sta\nge",,\n1,,a,,x\n2,,a,\n3,,,,,y\n')).toEqual([
      ['id', 3, undefined],
      ['sta ge', 2, undefined],
      ['Column E', 1, 'E3'],
      ['Column F', 1, 'F5'],
    ])
  })

  test('lists rows that are not deals, wherever they are', async () => {
    const rows = Array.from({ length: 100 }, (_, index) => `${900_100_000 + index},a,NTP`)
    const content = [
      'Deal ID,Deal Name,Stage',
      ...rows.slice(0, 50),
      'Deal ID,Deal Name,Stage',
      '-----,-----,-----',
      ...rows.slice(50),
      'Total,,',
      '100,,',
      '',
      'Made by J. Reed,,',
    ].join('\n')
    const { skipped } = await tableOf(content)
    expect(skipped.map(({ kind, count, rows: [first] }) => [kind, count, first?.row])).toEqual([
      ['titles', 1, 52],
      ['rule', 1, 53],
      ['footer', 3, 104],
    ])
    expect(await values(content.replaceAll(/^Deal ID,Deal Name,Stage$/gm, 'id,dealname,stage'))).toHaveLength(
      100,
    )
  })

  test('reads a battery column that contains both names and yes or no', async () => {
    expect(await values('id,battery\n1,No\n2,Powerwall 3\n3,yes\n4,\n5,N/A\n')).toEqual([
      { id: 1n, battery: null, hasBattery: false },
      { id: 2n, battery: 'Powerwall 3', hasBattery: true },
      { id: 3n, hasBattery: true },
      { id: 4n, battery: null },
      { id: 5n, battery: null },
    ])
    expect(await values('id,battery,hasBattery\n1,Powerwall 3,yes\n2,No,no\n')).toEqual([
      { id: 1n, battery: 'Powerwall 3', hasBattery: true },
      { id: 2n, battery: 'No', hasBattery: false },
    ])
  })
})

test('reads rows that are quoted as a single field', async () => {
  const rows = '"id,""dealname"",stage"\r\n"1,""Ortiz, ""Mia"""",CAD"\r\n2,Lee,CAD\r\n'
  const items = await read(rows, { encoding: 'utf-8', delimiter: ',', isQuoted: true })
  expect(items.map(({ value }) => value)).toEqual([
    { id: 1n, dealname: expect.stringContaining('Ortiz, '), stage: 'CAD' },
    { id: 2n, dealname: 'Lee', stage: 'CAD' },
  ])
})

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
