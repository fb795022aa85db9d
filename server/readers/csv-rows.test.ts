import { describe, expect, test } from 'vitest'
import { type CsvRow, csvRows } from './csv-rows.ts'

/** Parses a text that arrives in chunks of this many characters. */
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

describe('the line number of a row', () => {
  test('is where the row starts, for any kind of line ending', async () => {
    const lines = async (text: string) => (await rowsOf(text)).map(({ line, cells }) => [line, cells[0]])
    for (const end of ['\n', '\r\n', '\r'])
      expect(await lines(['a', '"b', 'c"', '', 'd,"x"', 'e'].join(end))).toEqual([
        [1, 'a'],
        [2, `b${end}c`],
        [4, ''],
        [5, 'd'],
        [6, 'e'],
      ])
    expect(await lines('a\r\nb\rc\nd')).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [4, 'd'],
    ])
  })
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
