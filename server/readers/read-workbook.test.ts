import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { workbookOf, zip } from '#e2e/workbook.ts'
import type { Mapping, RecordSource } from '../deals/import/record-source.ts'
import { openSource } from './open-source.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'xlsx-'))
})
afterAll(() => rm(directory, { recursive: true }))

const sheetOf = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`

/** Returns a workbook with this first sheet. */
const workbook = (rows: string, more: Record<string, string | Buffer> = {}) =>
  zip({
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Old" state="hidden" r:id="rId9"/><sheet name="Older" state="veryHidden" r:id="rId8"/><sheet name="Deals &amp; more" state="visible" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet7.xml"/></Relationships>',
    'xl/worksheets/sheet7.xml': sheetOf(rows),
    ...more,
  })

async function open(content: Buffer, options: { sheet?: string; headerRow?: number } = {}) {
  const path = join(directory, crypto.randomUUID())
  await writeFile(path, content)
  return openSource(path, `${path}.rows`, options)
}

/** Returns the titles, then the records of all rows by number, or their problems. */
async function readRows(source: RecordSource, mapping: Mapping = {}) {
  const rows = []
  for await (const { line, raw } of source.mapped!(mapping).items()) {
    const read = source.valueOf(raw)
    rows.push([
      line,
      'value' in read ? read.value : read.faults.map(({ field, reason }) => `${field} ${reason}`),
    ])
  }
  return rows
}

const read = async (content: Buffer) => readRows(await open(content))

describe('a workbook', () => {
  test('is read from the cells of its first visible sheet: text, numbers, dates and flags', async () => {
    const rows = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>stage</t></is></c><c r="D1" t="s"><v>1</v></c></row>
      <row r="3"><c r="A3"><v>2.0411000193E10</v></c><c r="B3" t="str"><v>a "b"</v></c><c r="C3" t="b"><v>1</v></c><c r="D3" s="1"><v>46082</v></c><c r="F3"/></row>
      <row><c><v>5</v></c><c t="inlineStr"><is><r><t>x </t></r><r><t>y</t></r><rPh><t>no</t></rPh></is></c></row>`
    const source = await open(
      workbook(rows, {
        'xl/sharedStrings.xml':
          '<sst><si><t>id</t></si><si><r><t>permit</t></r><r><t>Submitted</t></r><rPh><t>no</t></rPh></si></sst>',
        'xl/styles.xml':
          '<styleSheet><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
      }),
    )
    expect(source.sheets).toMatchObject({ chosen: 'Deals & more', all: ['Deals & more'] })
    expect(await readRows(source)).toEqual([
      [3, { id: 20411000193n, stage: 'a "b"', '': 'TRUE', permitSubmitted: '2026-03-01T00:00:00.000Z' }],
      [4, { id: 5n, stage: 'x y', '': '', permitSubmitted: null }],
    ])
  })

  test('is read with prefixes, 1904 dates and parts of other names, too', async () => {
    // Excel strict, and Excel's web version, which names the workbook `workbook2.xml`.
    const content = zip({
      '_rels/.rels':
        '<Relationships><Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/xl/workbook2.xml"/></Relationships>',
      'xl/workbook2.xml':
        '<x:workbook xmlns:x="a"><x:workbookPr date1904="1"/><x:sheets><x:sheet name="Chart" ns:id="c"/><x:sheet name="Deals" sheetId="1" ns:id="d"/></x:sheets></x:workbook>',
      'xl/_rels/workbook2.xml.rels':
        '<Relationships><Relationship Id="c" Type="x/chartsheet" Target="chartsheets/sheet1.xml"/><Relationship Id="d" Type="x/worksheet" Target="worksheets/sheet7.xml"/><Relationship Id="s" Type="x/styles" Target="other.xml"/></Relationships>',
      'xl/other.xml': '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>',
      'xl/worksheets/sheet7.xml':
        '<x:worksheet xmlns:x="a"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>id</x:t></x:is></x:c><x:c t="inlineStr"><x:is><x:t>createDate</x:t></x:is></x:c></x:row><x:row><x:c t="str"><x:v>7</x:v></x:c><x:c s="0"><x:v>44620</x:v></x:c></x:row></x:sheetData></x:worksheet>',
    })
    expect(await read(content)).toEqual([[2, { id: 7n, createDate: '2026-03-01T00:00:00.000Z' }]])
  })

  test.each([
    ['is no archive', Buffer.from('PK\x03\x04 and nothing'), /not a workbook/],
    ['is an archive of something else', zip({ 'a.txt': 'a' }), /it has no xl\/workbook.xml/],
    [
      'has 52,000 columns',
      workbook('<row r="1"><c r="BXX1"><v>1</v></c></row>'),
      /a cell in BXX1, and at most 1000 columns are read/,
    ],
    [
      'has a row beyond all',
      workbook('<row r="99999999"><c><v>1</v></c></row>'),
      /a row with the number 99999999/,
    ],
    ['is no XML', workbook('<row><c'), /not a workbook/],
    ['has entities of its own', workbook('<row><c t="str"><v>&bomb;</v></c></row>'), /not a workbook/],
    ['is nested', workbook('<a>'.repeat(200)), /nested too deeply/],
    ['has a text without end', workbook('a'.repeat(3_000_000)), /no XML of a spreadsheet/],
    [
      'repeats a long text',
      workbook(`<row>${'<c t="s"><v>0</v></c>'.repeat(900)}</row>`, {
        'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(30_000)}</t></si></sst>`,
      }),
      /row 1 is longer than 262144 characters/,
    ],
    [
      'is a bomb',
      workbook('', { 'xl/sharedStrings.xml': Buffer.alloc(70 * 1024 * 1024, ' ') }),
      /xl\/sharedStrings.xml has 73400320 bytes; at most 67108864 are read/,
    ],
  ])('is refused with the reason if it %s', async (_what, content, words) => {
    await expect(read(content)).rejects.toThrow(words)
  })

  test('is refused if it declares a wrong size, however much it contains', async () => {
    const content = workbook('', { 'xl/sharedStrings.xml': Buffer.alloc(80 * 1024 * 1024, ' ') })
    const size = Buffer.alloc(4)
    size.writeUInt32LE(80 * 1024 * 1024)
    const lie = Buffer.alloc(4)
    lie.writeUInt32LE(1000)
    for (let at = content.indexOf(size); at >= 0; at = content.indexOf(size)) lie.copy(content, at)
    await expect(read(content)).rejects.toThrow(/not a workbook/)
  })
})

test('a sheet is chosen by its name', async () => {
  const content = workbookOf({
    Notes: [['Read me']],
    Deals: [
      ['id', 'stage'],
      ['7', 'NTP'],
    ],
  })
  const source = await open(content, { sheet: 'Deals' })
  expect(source.sheets).toMatchObject({ chosen: 'Deals', all: ['Notes', 'Deals'] })
  expect(await readRows(source)).toEqual([[2, { id: 7n, stage: 'NTP' }]])
  await expect(open(content, { sheet: 'deals' })).rejects.toThrow(
    'the workbook has no sheet "deals"; it has "Notes", "Deals"',
  )
})
