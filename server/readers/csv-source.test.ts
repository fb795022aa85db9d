import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UnreadableFileError } from '../deals/import/record-source.ts'
import { readRecord, unknownFields } from '../deals/import/record.ts'
import { csvSource } from './csv-source.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'csv-'))
})
afterAll(() => rm(directory, { recursive: true }))

interface Item {
  line: number
  id: bigint | null
  value?: unknown
  faults?: string[]
}

/** Returns everything in a file with this content. */
async function read(content: string | Buffer): Promise<Item[]> {
  const path = join(directory, crypto.randomUUID())
  await writeFile(path, content)
  const source = csvSource(path)
  const items: Item[] = []
  for await (const { line, raw } of source.items()) {
    const read = source.valueOf(raw)
    const rest =
      'value' in read
        ? { value: read.value }
        : { faults: read.faults.map(({ field, reason }) => `${field} ${reason}`) }
    items.push({ line, id: source.idOf(raw), ...rest })
  }
  return items
}

const values = async (content: string | Buffer) => (await read(content)).map(({ value }) => value)

/** Returns the problem with the file as a whole. */
async function refusal(content: string): Promise<string> {
  try {
    await read(content)
    return 'nothing'
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error
    return error.message
  }
}

describe('a file', () => {
  test.each([
    ['plainly', 'id,stage\n1,NTP\n2,Permit\n'],
    ['without a last line end', 'id,stage\n1,NTP\n2,Permit'],
    ['as on Windows', 'id,stage\r\n1,NTP\r\n2,Permit\r\n'],
    ['as on old Macs', 'id,stage\r1,NTP\r2,Permit\r'],
    ['with one kind of line end and then another', 'id,stage\n1,NTP\r\n2,Permit\n'],
    ['with the other one first', 'id,stage\r\n1,NTP\n2,Permit\r\n'],
    ['with a byte order mark', '\uFEFFid,stage\n1,NTP\n2,Permit\n'],
    ['with a byte order mark before a quote', '\uFEFF"id","stage"\r\n"1","NTP"\r\n"2","Permit"\r\n'],
  ])('may be written %s', async (_what, content) => {
    expect(await read(content)).toEqual([
      { line: 2, id: 1n, value: { id: 1n, stage: 'NTP' } },
      { line: 3, id: 2n, value: { id: 2n, stage: 'Permit' } },
    ])
  })

  test('may have its columns in any order', async () => {
    expect(await read('stage,id\nNTP,9007199254740993\n')).toEqual([
      { line: 2, id: 9_007_199_254_740_993n, value: { stage: 'NTP', id: 9_007_199_254_740_993n } },
    ])
  })

  test('may have a thousand columns at most', async () => {
    const header = (count: number) =>
      Array.from({ length: count }, (_, index) => (index === count - 1 ? 'id' : `c${index}`)).join(',')
    expect(await read(`${header(1000)}\n${','.repeat(999)}7\n`)).toMatchObject([{ id: 7n }])
    expect(
      await refusal(`${Array.from({ length: 52_000 }, (_, index) => index.toString(36)).join(',')}\n`),
    ).toBe('the header has 52000 columns, and at most 1000 are read')
  })

  test('with only a header is refused with the reason', async () => {
    for (const content of ['id,stage\n', 'id'])
      expect(await refusal(content)).toBe('there is no row to import')
    for (const content of ['', '\n', '\uFEFF']) expect(await read(content)).toEqual([])
  })

  test.each([
    ['has no id', 'stage,notes\n1,2\n', 'the header has no column "id"'],
    ['names a column twice', 'id,stage,notes,stage\n1,a,b,c\n', 'the header names "stage" twice'],
    [
      'opens a quote that never closes',
      'id,notes\n1,a\n2,"b\n3,c\n',
      'line 3: not CSV as of RFC 4180: Quote Not Closed: the parsing is finished with an opening quote at line 4',
    ],
  ])('is refused as a whole if it %s', async (_what, content, message) =>
    expect(await refusal(content)).toBe(message),
  )

  test('is rejected at the line of a quote within a cell', async () => {
    expect(await refusal('id,notes\n1,a\n2,"b" c\n')).toMatch(
      /^line 3: not CSV as of RFC 4180: Invalid Closing Quote/,
    )
    expect(await refusal('id,notes\n1,5" pipe\n')).toMatch(
      /^line 2: not CSV as of RFC 4180: Invalid Opening Quote/,
    )
  })

  test('is refused at the line of a record that is too long', async () => {
    expect(await refusal(`id,notes\n1,a\n2,${'x'.repeat(300_000)}\n3,c\n`)).toMatch(
      /^line 3: not CSV as of RFC 4180: Max Record Size/,
    )
  })

  test('is reported if it cannot be read', async () => {
    const source = csvSource(directory)
    await expect(Array.fromAsync(source.items())).rejects.toThrow('EISDIR')
  })

  test('is read completely wherever its chunks are split', async () => {
    const rows = Array.from({ length: 5000 }, (_, index) => `${index},"ä,""${'é'.repeat(20)}""\n${index}"`)
    const items = await read(`id,notes\n${rows.join('\n')}\n`)
    expect(items).toHaveLength(5000)
    expect(
      items.every(
        ({ line, id, value }, index) =>
          line === 2 + 2 * index &&
          id === BigInt(index) &&
          (value as { notes: string }).notes === `ä,"${'é'.repeat(20)}"\n${index}`,
      ),
    ).toBe(true)
  })
})

describe('the line number of a record is where it starts', () => {
  const lines = async (content: string) => (await read(content)).map(({ line, id }) => [line, Number(id)])

  test('after cells with line ends in them', async () => {
    expect(await lines('id,notes\n1,"a\nb\nc"\n2,x\n3,"a\r\nb"\n4,x')).toEqual([
      [2, 1],
      [5, 2],
      [6, 3],
      [8, 4],
    ])
    expect(await lines('id,notes\r\n1,"a\nb"\r\n2,"a\r\nb"\r\n3,x\r\n')).toEqual([
      [2, 1],
      [4, 2],
      [6, 3],
    ])
  })

  test('after blank lines', async () => {
    expect(await lines('id,notes\n\n1,a\n\n\n2,b\n3,c\n')).toEqual([
      [3, 1],
      [6, 2],
      [7, 3],
    ])
    expect(await lines('\n\nid,notes\r\n\r\n1,a\r\n')).toEqual([[5, 1]])
    expect(await lines('id,notes\n1,"a\n\nb"\n\n2,b\n')).toEqual([
      [2, 1],
      [6, 2],
    ])
  })

  test('after a header of several lines', async () => {
    expect(await lines('id,"a\nb"\n1,x\n')).toEqual([[3, 1]])
  })
})

describe('a cell', () => {
  test('in quotes keeps commas, quotes, spaces and line ends', async () => {
    expect(await values('id,notes,stage\n1,"a,""b""\r\n c ", d \n')).toEqual([
      { id: 1n, notes: 'a,"b"\r\n c ', stage: ' d ' },
    ])
  })

  test('clears its field if empty; a missing column keeps it', async () => {
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
        lastModified: '2026-03-01T17:20:05Z',
        loanAmount: '30800.00',
      },
    ])
  })

  test.each([
    ['id', '1.0'],
    ['id', '+1'],
    ['id', '0x1'],
    ['id', '9223372036854775808'],
    ['amount', '5$'],
    ['amount', '1,5'],
    ['amount', '1.'],
    ['amount', 'NaN'],
    ['amount', ' 1'],
    ['amount', '0x10'],
    ['amount', 'Infinity'],
    ['hasHoa', 'maybe'],
    ['hasHoa', '2'],
    ['hasHoa', 'constructor'],
    ['hasHoa', '__proto__'],
    ['lastModified', '13/1/2026'],
    ['lastModified', '2/30/2026'],
    ['owner.id', 'x'],
    ['owner.createdAt', 'today'],
  ])('of %s with %j stays as is, and rejects the record', async (title, cell) => {
    // A record has an id, and so has its owner.
    const row = { id: '1', ...(title === 'owner.createdAt' && { 'owner.id': '2' }), [title]: `"${cell}"` }
    const [value] = await values(`${Object.keys(row).join()}\n${Object.values(row).join()}\n`)
    expect(readRecord(value)).toMatchObject({ faults: [{ field: title }] })
  })

  test('rejects only its own record, with the column, if it is not UTF-8', async () => {
    const items = await read(
      Buffer.concat([
        Buffer.from('id,city,stage\n1,M'),
        Buffer.from([0xfc]),
        Buffer.from('nchen,NTP\n2,München,NTP\n'),
      ]),
    )
    expect(items).toEqual([
      { line: 2, id: 1n, faults: ['city has characters that cannot be read; save the file as UTF-8'] },
      { line: 3, id: 2n, value: { id: 2n, city: 'München', stage: 'NTP' } },
    ])
  })
})

describe('a person', () => {
  test('consists of the columns with its name', async () => {
    expect(
      await values(
        'id,owner.id,owner.email,owner.createdAt,projectManager.id,projectManager.userId\n1,5,m@example.com,2023-04-11T15:02:44Z,6,9007199254740993\n',
      ),
    ).toEqual([
      {
        id: 1n,
        owner: { id: 5n, email: 'm@example.com', createdAt: '2023-04-11T15:02:44Z' },
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

  test('spans several cells: text in its own column rejects the record, an empty cell clears it, and its fields take precedence', async () => {
    const [text, empty] = await values('id,owner\n1,Maria\n2,\n')
    expect(readRecord(text)).toMatchObject({ faults: [{ field: 'owner' }] })
    expect(empty).toEqual({ id: 2n, owner: null })
    expect(await values('id,owner,owner.id\n1,Maria,5\n')).toEqual([{ id: 1n, owner: { id: 5n } }])
    expect(await values('owner.id,id,owner\n5,1,Maria\n')).toEqual([{ id: 1n, owner: { id: 5n } }])
  })

  test('is rejected without its id', async () => {
    const [value] = await values('id,owner.id,owner.email\n1,,m@example.com\n')
    expect(readRecord(value)).toMatchObject({ faults: [{ field: 'owner.id' }] })
  })
})

describe('a row', () => {
  test('alone is rejected if it has too few or too many cells', async () => {
    expect(await read('id,stage,notes\n1,a\n2,a,b,c,d\n3,a,b\n')).toEqual([
      { line: 2, id: 1n, faults: ['null has 2 cells, and the header 3; check its separators and quotes'] },
      { line: 3, id: 2n, faults: ['null has 5 cells, and the header 3; check its separators and quotes'] },
      { line: 4, id: 3n, value: { id: 3n, stage: 'a', notes: 'b' } },
    ])
  })

  test('may have an id', async () => {
    expect((await read('stage,id\na,5\nb,x\nc,\nd\n')).map(({ id }) => id)).toEqual([5n, null, null, null])
  })
})

describe('unknown columns', () => {
  test.each([
    'color',
    'Stage',
    ' stage',
    'owner.',
    'owner.nick',
    'owner.id.x',
    'stage.id',
    'partner.slug',
    '',
    '__proto__',
    'constructor',
    'toString',
    '__proto__.id',
    'constructor.name',
  ])('%j keep their title and are reported', async (title) => {
    const [value] = await values(`id,"${title}"\n1,x\n`)
    expect(unknownFields(value as object)).toEqual([title])
    expect(readRecord(value)).toEqual({ record: { id: 1n } })
  })
})
